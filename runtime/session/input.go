package session

import (
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/balance"
	"example.org/ripple/schema"
)

// input says how code is sent to the program.
type input struct {
	ending    string // of a line
	clear     string // sent before each command
	pause     time.Duration
	skipEmpty bool // a command without text is not sent

	secret   *pattern       // input.secret_pattern
	longest  int            // the longest line that the program reads, in bytes; 0: any
	ascii    bool           // the program reads only ASCII
	balance  *balance.Rules // nil: incomplete input is not recognized before it is sent
	delivery schema.MultilineDelivery
	wrapper  *schema.MultilineWrapper
	tempfile *schema.InputTempfile
}

func newInput(a *schema.Adapter) input {
	from := a.Input
	in := input{
		ending: from.LineEnding, clear: from.ClearLine, pause: ms(from.ChunkDelayMS), skipEmpty: from.EmptyLine == "none",
		longest: from.MaxLineBytes, ascii: from.LineCharset == "ascii",
		delivery: from.MultilineDelivery, wrapper: from.MultilineWrapper, tempfile: from.Tempfile,
	}
	if from.MultilineDetect == schema.DetectBalancedParens && from.BalancedParens != nil {
		in.balance = balance.New(*from.BalancedParens)
	}
	return in
}

// hidesAnswers reports whether code may ask for a secret in the program's own line editor.
func (in *input) hidesAnswers(code string) bool {
	if in.secret == nil {
		return false
	}
	is, err := in.secret.MatchString(code)
	return is || err != nil
}

// runs reports whether a line of input can run a file.
func (in *input) runs() bool { return in.tempfile != nil && in.tempfile.InvocationTemplate != "" }

// gate refuses incomplete input before a byte is sent.
func (in *input) gate(code string) error {
	if in.balance == nil {
		return nil
	}
	r := in.balance.Check(code)
	if r.Complete {
		return nil
	}
	return &IncompleteError{Reason: r.Message(), Line: r.Line, Column: r.Column, Excerpt: r.Excerpt()}
}

// posixHeredoc makes a POSIX shell evaluate a here-document, so that the state and the exit code
// are those of the block's own commands.
var posixHeredoc = schema.MultilineWrapper{Open: "eval \"$(cat <<'{guid}'", Close: "{guid}\n)\""}

// heredoc puts the block between the lines of a here-document with a new delimiter each time.
func (in *input) heredoc(lines []string) ([]string, error) {
	w := posixHeredoc
	if in.wrapper != nil {
		w = *in.wrapper
	}
	guid, err := randomHex(8)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"guid": "RIPPLE_" + guid}
	open := strings.Split(schema.Expand(w.Open, values), "\n")
	end := strings.Split(schema.Expand(w.Close, values), "\n")
	return slices.Concat(open, lines, end), nil
}
