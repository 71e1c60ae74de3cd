package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// OperationError is returned if the command for an operation of commands.debugger cannot be built.
type OperationError struct {
	Operation string
	Message   string
	Supported []string // the supported operations, sorted; nil if Operation is one of them
}

func (e *OperationError) Error() string { return e.Message }

// Operations returns the operations of commands.debugger that the adapter supports, sorted.
func (a *Adapter) Operations() []string {
	names := []string{}
	for name, template := range a.debugger() {
		if template != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// OperationArguments returns the placeholders of an operation, in their order in the template;
// none if the operation is not supported.
func (a *Adapter) OperationArguments(operation string) []string {
	var names []string
	if template := a.debugger()[operation]; template != nil {
		for _, m := range placeholder().FindAllString(*template, -1) {
			name := strings.Trim(m, "{}")
			if slices.Contains(operationArguments, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

var operationArguments = []string{"expr", "target", "line", "file"}

// Operation returns the program's own command for an operation of commands.debugger, such as
// "print" with the argument "expr". Every argument of the template must be given, and no other.
// Errors are of type *OperationError.
func (a *Adapter) Operation(operation string, arguments map[string]string) (string, error) {
	template, declared := a.debugger()[operation]
	if template == nil {
		why := "has no operation"
		if declared {
			why = "does not support the operation"
		}
		return "", &OperationError{operation, fmt.Sprintf("%s %s %q", a.Name, why, operation), a.Operations()}
	}
	refuse := func(format string, args ...any) (string, error) {
		return "", &OperationError{Operation: operation, Message: fmt.Sprintf("the operation %s ", operation) + fmt.Sprintf(format, args...)}
	}
	wanted := a.OperationArguments(operation)
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		switch {
		case len(wanted) == 0:
			return refuse("takes no arguments, not %s", name)
		case !slices.Contains(wanted, name):
			return refuse("has no argument %q; it takes %s", name, strings.Join(wanted, " and "))
		case strings.ContainsFunc(arguments[name], unicode.IsControl):
			return refuse("takes one line of text for %s, and got %q", name, arguments[name])
		}
	}
	for _, name := range wanted {
		if strings.TrimSpace(arguments[name]) == "" {
			return refuse("needs the argument %s: its command is %s", name, *template)
		}
	}
	return Expand(*template, arguments), nil
}

func (a *Adapter) debugger() map[string]*string {
	if a.Commands == nil {
		return nil
	}
	return a.Commands.Debugger
}
