package execcmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/schema"
)

// execStep is one -e or --op.
type execStep struct {
	text      string
	operation bool
}

// stepFlag collects the values of -e and --op in one list, in their order.
type stepFlag struct {
	steps     *[]execStep
	operation bool
}

func (f stepFlag) Set(text string) error {
	*f.steps = append(*f.steps, execStep{text, f.operation})
	return nil
}

func (f stepFlag) String() string { return "" }
func (f stepFlag) Type() string   { return "string" }

// codeOf returns the code that each step sends.
func codeOf(a *schema.Adapter, steps []execStep) ([]string, error) {
	codes := make([]string, len(steps))
	for i, s := range steps {
		codes[i] = s.text
		if !s.operation {
			continue
		}
		var err error
		if codes[i], err = operation(a, s.text); err != nil {
			return nil, err
		}
	}
	return codes, nil
}

// operation is the program's command for what --op says.
func operation(a *schema.Adapter, text string) (string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	arguments, err := parseArguments(rest, a.OperationArguments(name))
	if err != nil {
		return "", ui.UsageError("", "--op %q: %w", text, err)
	}
	code, err := a.Operation(name, arguments)
	if err == nil {
		return code, nil
	}
	hint := ""
	if e, ok := errors.AsType[*schema.OperationError](err); ok && e.Supported != nil {
		hint = "the adapter declares no operations"
		if len(e.Supported) > 0 {
			hint = "the adapter declares " + strings.Join(e.Supported, ", ")
		}
		hint = strings.TrimPrefix(ui.DidYouMean(schema.Nearest(name, e.Supported), "")+"\n"+hint, "\n")
	}
	return "", ui.UsageError(hint, "--op: %w", err)
}

// parseArguments reads `file=a b.c line=3`. A value ends where another of the
// operation's own arguments begins, so blanks and "=" in it need no quotes.
func parseArguments(text string, names []string) (map[string]string, error) {
	arguments := map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, value, ok := strings.Cut(text, "=")
		if !ok || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("invalid argument %q: write name=value", text)
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
		end := len(value)
		for _, other := range names {
			if i := strings.Index(value, " "+other+"="); i >= 0 {
				end = min(end, i)
			}
		}
		arguments[name], text = value[:end], value[end:]
	}
	return arguments, nil
}
