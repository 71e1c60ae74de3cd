package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// A program that prints its own prompt, with its markers, has not ended its command: only the
// prompt at which it waits does that. Text that was taken for a prompt is output.
func TestPrintedPromptIsOutput(t *testing.T) {
	t.Parallel()
	rounds := testkit.Times(t, 1, 3)
	for _, tt := range []struct{ name, code, want, next, then string }{
		{"printsh", "P", "$ ", "echo b", "b\n"},
		{"printsh", "P; echo after; false", "$ after\n", "echo b", "b\n"},
		{"printsh", "echo before; P; sleep 0.2; echo after", "before\n$ after\n", "echo b", "b\n"},
		{"printsh", "P; P; P; echo after; P", "$ $ $ after\n$ ", "echo b", "b\n"},
		{"printsh", "P; for i in {1..20000}; do echo 123456789; done; sleep 0.1; echo after", "$ " + strings.Repeat("123456789\n", 20000) + "after\n", "echo b", "b\n"},
		{"r", `cat(getOption("prompt")); cat("AFTER\n"); stop("x")`, "> AFTER\nError: x\n", `cat("b\n")`, "b\n"},
		{"r", `cat("a\n", getOption("prompt")); Sys.sleep(0.2); cat("AFTER\n")`, "a\n > AFTER\n", `cat("b\n")`, "b\n"},
		{"gp", `print1(default(prompt)); print("AFTER")`, "? AFTER\n", `print("b")`, "b\n"},
		{"octave", `printf("%s", strrep(PS1(), "\\w", "x")); disp("AFTER")`, ">> AFTER\n", `disp("b")`, "b\n"},
		{"poly", `(print (!PolyML.Compiler.prompt1); print "AFTER\n");`, "> AFTER\nval it = (): unit\n", `print "b\n";`, "b\nval it = (): unit\n"},
		{"gdb", `python print(gdb.parameter("prompt")); print("AFTER")`, "(gdb) \nAFTER\n", `echo b\n`, "b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.name, session.Options{})
			for range rounds {
				r := eval(t, s, tt.code)
				assert.Equal(t, tt.want, r.Output)
				assert.Empty(t, r.OutOfBand)
				assert.Equal(t, tt.then, eval(t, s, tt.next).Output)
			}
		})
	}
}

// Text after a printed prompt may be a question, and the program waits for its answer.
func TestQuestionAfterPrintedPrompt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, code, want, answer, after, mode string }{
		{"printsh", `P; read -p "name? " -r n; echo "hello $n"`, "$ name? ", "me\n", "$ name? hello me\n", ""},
		{"r", `cat(getOption("prompt")); n <- readline("name? "); cat("hello", n, "\n")`, "> name? ", "me\n", "> name? hello me \n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.name, session.Options{})
			r := leave(t, s, tt.code, func(st session.State) bool { return st.Waiting == session.WaitingInput })
			assert.Equal(t, tt.want, r.Output)
			require.NoError(t, s.Send(deadline(t), []byte(tt.answer)))
			r, err := s.Wait(deadline(t))
			require.NoError(t, err)
			assert.Equal(t, tt.after, r.Output)
		})
	}
}

// However a command ends, text after a prompt that it printed is output.
func TestEndsAfterAPrintedPrompt(t *testing.T) {
	t.Parallel()
	s := open(t, "printsh", session.Options{})
	r := timeout(t, s, "P; echo after; sleep 60", time.Second)
	assert.Equal(t, "$ after\n", r.Output)
	r, err := s.Interrupt(deadline(t))
	require.NoError(t, err)
	assert.Contains(t, r.Output, "$ after\n")
	r = eval(t, s, `P; echo x; read -p "sure? " -r yes; echo "said $yes"`)
	assert.Equal(t, "asks", r.Mode)
	assert.Equal(t, "$ x\n", r.Output)
	assert.Equal(t, "said yes\n", eval(t, s, "yes").Output)
	eval(t, s, "while :; do :; done & echo started") // in the same group
	assert.Equal(t, "$ b\n", eval(t, s, "P; echo b").Output)
	eval(t, s, "kill $!; wait")
	before := eval(t, s, "echo beside &")
	r = eval(t, s, "wait; P; P; echo b")
	assert.Equal(t, "beside\n$ $ b\n", before.Output+r.OutOfBand+r.Output)
	r, err = s.Eval(deadline(t), "P; echo last; exit 7")
	require.ErrorIs(t, err, session.ErrExited)
	assert.Equal(t, "$ last\n", r.Output)
	assert.Equal(t, 7, code(r))
}
