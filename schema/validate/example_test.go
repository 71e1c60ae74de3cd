package validate_test

import (
	"errors"
	"fmt"

	"example.org/ripple/schema"
	"example.org/ripple/schema/validate"
)

// Most programs import the package only for its effect on schema.Load and schema.Parse. Program
// checks the jq program of an adapter before it is written to a file.
func Example() {
	_, err := validate.Program(`if .type == "text" then {type, text: .body else empty end`)
	if problem, ok := errors.AsType[*schema.ProgramError](err); ok {
		fmt.Println(problem, "at byte", problem.Offset)
	}
	// Output: bad jq program: unexpected token "else" at byte 43
}
