package permit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
)

func TestDecide(t *testing.T) {
	options := []event.Option{{ID: "yes", Kind: event.AllowOnce}, {ID: "always", Kind: event.AllowAlways}, {ID: "no", Kind: event.RejectOnce}}
	long := strings.Repeat("a", event.MaxInput)
	for _, c := range []struct {
		name, allow, deny string
		tool              event.Tool
		own, input, want  string // want: the option, "" for none
	}{
		{"no rule", "read", "edit", "bash", "Bash", `{"command":"ls"}`, ""},
		{"by the common name", "bash", "-", "bash", "run_shell_command", `{"command":"ls"}`, "yes"},
		{"by the agent's name", "Run_Shell_*", "-", "bash", "run_shell_command", `{"command":"ls"}`, "yes"},
		{"everything", "*", "-", "other", "x", `{}`, "yes"},
		{"a deny rule is stronger", "*", "bash", "bash", "Bash", `{"command":"ls"}`, "no"},
		{"a command", "bash(git *)", "-", "bash", "Bash", `{"command":"git status"}`, "yes"},
		{"another command", "bash(git *)", "-", "bash", "Bash", `{"command":"rm x"}`, ""},
		{"a star does not match a further command", "bash(git *)", "-", "bash", "Bash", `{"command":"git status; rm -rf /"}`, ""},
		{"a star does not match a substitution", "bash(git *)", "-", "bash", "Bash", `{"command":"git log $(rm x)"}`, ""},
		{"a star does not match a line break", "bash(git *)", "-", "bash", "Bash", `{"command":"git log\nrm x"}`, ""},
		{"a line that is allowed as it is", "bash(a; b)", "-", "bash", "Bash", `{"command":"a; b"}`, "yes"},
		{"a command in words", "bash(git *)", "-", "bash", "Bash", `{"command":["git","status"]}`, "yes"},
		{"a denied command in a line", "*", "bash(rm *)", "bash", "Bash", `{"command":"cd x && rm -rf y"}`, "no"},
		{"a path", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"src/a.go"}`, "yes"},
		{"a path elsewhere", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"/etc/passwd"}`, ""},
		{"a path that goes up", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"src/../../.bashrc"}`, ""},
		{"a path that goes up and comes back", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"src/../src/a.go"}`, ""},
		{"a path that goes up, perhaps through a link", "edit(x)", "-", "edit", "Edit", `{"file_path":"link/../x"}`, ""},
		{"a path that goes up, allowed as it is", "edit(../x)", "-", "edit", "Edit", `{"file_path":"../x"}`, "yes"},
		{"a name with two dots", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"src/a..go"}`, "yes"},
		{"a path with a dot", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"./src//a.go"}`, "yes"},
		{"an absolute path", "edit(src/*)", "-", "edit", "Edit", `{"file_path":"/home/me/tree/src/a.go"}`, "yes"},
		{"an absolute path that goes up", "edit(*)", "-", "edit", "Edit", `{"file_path":"/home/me/tree/../.bashrc"}`, ""},
		{"an absolute rule", "edit(/home/me/tree/src/*)", "-", "edit", "Edit", `{"file_path":"src/a.go"}`, "yes"},
		{"a denied path", "*", "edit(secret/*)", "edit", "Edit", `{"file_path":"secret/key"}`, "no"},
		{"a denied path with a dot", "*", "edit(secret/*)", "edit", "Edit", `{"path":"./secret/key"}`, "no"},
		{"a denied path in another way", "*", "edit(secret/*)", "edit", "Edit", `{"filePath":"src/../secret/key"}`, "no"},
		{"a denied absolute path", "*", "edit(secret/*)", "edit", "Edit", `{"path":"/home/me/tree/secret/key"}`, "no"},
		{"a denied file above", "*", "edit(/home/me/.*)", "edit", "Edit", `{"path":"../.bashrc"}`, "no"},
		{"an address", "fetch(x://a/*)", "-", "fetch", "Fetch", `{"url":"x://a/../b"}`, "yes"},
		{"several stars", "edit(*/a/*/c)", "-", "edit", "Edit", `{"path":"x/a/b/c"}`, "yes"},
		{"stars do not overlap", "edit(ab*bc)", "-", "edit", "Edit", `{"path":"abc"}`, ""},
		{"a long text into a path", "write(src/*)", "-", "write", "Write", `{"path":"src/a.go","content":"` + long + `"}`, "yes"},
		{"a long text into a denied path", "*", "write(*/.env)", "write", "Write", `{"content":"` + long + `","path":"src/.env"}`, "no"},
		{"a long line, whose end nobody sees", "*", "bash(rm *)", "bash", "Bash", `{"command":"echo ` + long + `; rm -r ."}`, "no"},
		{"likewise, in words", "*", "bash(rm *)", "bash", "Bash", `{"command":["echo","` + long + `","rm -r ."]}`, "no"},
		{"likewise, with no object", "*", "bash(rm *)", "bash", "Bash", `"` + long + `rm -r ."`, "no"},
		{"a long line, of another tool", "*", "write(rm *)", "bash", "Bash", `{"command":"echo ` + long + `"}`, "yes"},
		{"a long line is not a complete one", "bash(echo *)", "-", "bash", "Bash", `{"command":"echo ` + long + `"}`, ""},
		{"an input of its own kind", `other({"n":1})`, "-", "other", "x", `{"n":1}`, "yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := permit.New([]string{c.allow}, []string{c.deny})
			require.NoError(t, err)
			q := event.Question{Kind: event.AskPermission, Tool: c.tool, Name: c.own, Input: event.TruncateInput(json.RawMessage(c.input)), Options: options}
			a, decided := rules.In("/home/me/tree").Decide(q)
			assert.Equal(t, c.want, a.Option)
			assert.Equal(t, c.want != "", decided)
			if decided {
				assert.Regexp(t, "^(allow|deny): ", a.By)
			}
		})
	}
}

func TestDecideWithoutTheOption(t *testing.T) {
	rules, err := permit.New([]string{"read"}, []string{"bash"})
	require.NoError(t, err)
	a, decided := rules.Decide(event.Question{Kind: event.AskPermission, Tool: "bash"})
	assert.True(t, decided, "a question without a way to refuse is dismissed")
	assert.Equal(t, event.Answer{By: "deny: bash"}, a)
	_, decided = rules.Decide(event.Question{Kind: event.AskPermission, Tool: "read"})
	assert.False(t, decided, "a use that no rule covers is left undecided")
	_, decided = rules.Decide(event.Question{Kind: event.AskText, Tool: "bash"})
	assert.False(t, decided, "a question for words is none for a permission")
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "  ", "(x)", "bash(git"} {
		_, err := permit.Parse(bad)
		assert.ErrorContains(t, err, "TOOL(INPUT)", bad)
	}
	_, err := permit.New([]string{"read"}, []string{"bash("})
	assert.Error(t, err)
}
