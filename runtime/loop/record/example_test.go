package record_test

import (
	"fmt"

	"example.org/ripple/runtime/loop/record"
)

// The tasks of a plan are its check boxes.
func Example() {
	tasks := record.ParseTasks("# Plan\n\n- [x] write the parser\n- [ ] test it\n- [ ] document it\n")
	fmt.Println(tasks.Count().Open, "open, next:", tasks.Next())
	// Output: 2 open, next: test it
}
