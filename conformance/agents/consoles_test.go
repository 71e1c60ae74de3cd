package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// consoles is how an agent is configured for ripple's consoles, and which parts of results it
// shows.
type consoles struct {
	Because string           // reason why it does not support external tools
	First   []map[string]any // calls of its model before it is offered the tools
	// Packages are the packages of `ripple mcp config` that it supports: the command lines that
	// check and install the one at {path}.
	Packages map[string][]string
}

// A model uses a console through the tools of `ripple mcp`, configured by `ripple mcp config`, and
// sees the complete results.
func usesConsoles(t *testing.T, r rig) {
	c := r.setup.Consoles
	if c.Because != "" {
		t.Skip(c.Because)
	}
	r.setup.Home = maps.Clone(r.setup.Home)
	if r.setup.Home == nil {
		r.setup.Home = map[string]string{}
	}
	r.configure(t)
	leads(t, r, "live")
	for kind, commands := range c.Packages {
		t.Run(kind, func(t *testing.T) {
			if testing.Short() {
				t.Skip("installing a package takes some agents half a minute")
			}
			p := newRig(t, r.adapter, r.ripple)
			p.work = t.TempDir()
			path := filepath.Join(t.TempDir(), "package")
			p.ripples(t, "mcp", "config", kind, "-o", path)
			for _, command := range commands {
				p.shell(t, strings.ReplaceAll(command, "{path}", path))
			}
			p.keep(t)
			leads(t, p, "pack")
		})
	}
}

// leads makes the model use a console and checks the results that it saw.
func leads(t *testing.T, r rig, name string) {
	// Sockets are found by name alone, so the name must be unique.
	name = fmt.Sprintf("%s-%s-%d", name, r.adapter, os.Getpid())
	plan := append([]map[string]any{}, r.setup.Consoles.First...)
	for _, call := range []struct {
		tool  string
		input map[string]any
	}{
		{"console_start", map[string]any{"name": name}},
		{"console_exec", map[string]any{"console": name, "code": "read -p 'sure? ' a; echo got=$a"}},
		{"console_wait", map[string]any{"console": name, "for": "input"}},
		{"console_send", map[string]any{"console": name, "text": "yes", "keys": []string{"enter"}}},
		{"console_exec", map[string]any{"console": name, "code": `seq -f "$(printf '%060d' 0)%05g" 20000`}},
		{"console_read", map[string]any{"console": name, "command": 2, "from_line": 5000}},
		{"console_close", map[string]any{"console": name}},
	} {
		plan = append(plan, map[string]any{"name": call.tool, "input": call.input})
	}
	encoded, err := json.Marshal(plan)
	require.NoError(t, err)
	s := r.turn(t, "calls/text=done/plan="+url.PathEscape(string(encoded)), "use a console")
	assert.Equal(t, exitOK, s.exit)
	shown := lastResults(s)
	require.Lenf(t, shown, len(plan), "the model was offered %s", s.asked[0].Tools)
	shown = shown[len(r.setup.Consoles.First):]
	for i, want := range []string{
		`\[NAME\] idle cwd=\S+`,
		`\[NAME #1\] waiting_for_input cwd=\S+ \S+ 1 line/6 B, cursor=6\n(-----) \w{10}\nsure\? \n----- \w{10}`,
		`\[NAME #1\] waiting_for_input cwd=\S+ \S+ 1 line/6 B, new since byte 6, cursor=6(\n[^-].*)?$`, // it has seen the question
		`\[NAME #1\] done exit=0 cwd=\S+ \S+ 1 line/14 B, new since byte 6\n(-----) \w{10}\ngot=yes\n----- \w{10}`,
		`\[NAME #2\] done exit=0 cwd=\S+ \S+ 20,000 lines/1320 kB, shown 1–40 \+ last (\d+); console_read command=2\n----- (\w{10})\n0+1\n(?s:.*)\n… [\d,]+ lines left out …\n(?s:.*)\n0+20000\n----- \w{10}`,
		`\[NAME #2\] 20,000 lines, shown (\d+) of them from 5000 to \d+; continue with from_line=(\d+)\n----- \w{10}\n5000: 0+5000\n(?s:.*)\n----- \w{10}`,
		`\[NAME\] closed`,
	} {
		assert.Regexp(t, regexp.MustCompile(strings.ReplaceAll(want, "NAME", name)), shown[i])
	}
	if assert.Len(t, shown, 7) {
		long := regexp.MustCompile(`\n0*\d{1,5}\b`).FindAllString(shown[4], -1)
		assert.Greater(t, len(long), 90, "the agent has not shortened a result that fits")
		assert.NotContains(t, strings.ToLower(shown[4]), "truncated")
	}
}

// lastResults returns the last results of tools sent to the model, as text.
func lastResults(s turn) (list []string) {
	for _, e := range s.asked {
		var all []string
		for _, m := range e.Messages {
			all = append(all, m.Results...)
		}
		if len(all) > len(list) {
			list = all
		}
	}
	for i, text := range list {
		var wrapped struct{ Output string }
		if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != "" {
			list[i] = wrapped.Output // one dialect only has documents
		}
	}
	return list
}

// configure follows the output of `ripple mcp config`.
func (r rig) configure(t *testing.T) {
	t.Helper()
	lines, where := r.ripples(t, "mcp", "config", r.adapter)
	where, told := strings.CutPrefix(where, "ripple: for ~/")
	if !told {
		require.Equal(t, "ripple: run:\n", where)
		r.shell(t, lines)
		r.keep(t)
		return
	}
	file, _, _ := strings.Cut(strings.TrimSuffix(where, ":\n"), ",")
	r.setup.Home[file] = joined(t, file, r.setup.Home[file], lines)
}

// joined returns a configuration file with more text in it.
func joined(t *testing.T, file, text, more string) string {
	t.Helper()
	if filepath.Ext(file) != ".json" || text == "" {
		return text + more
	}
	var all, added map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &all))
	require.NoError(t, json.Unmarshal([]byte(more), &added))
	maps.Copy(all, added)
	b, err := json.Marshal(all)
	require.NoError(t, err)
	return string(b)
}

// keep saves the current files of the home directory.
func (r rig) keep(t *testing.T) {
	t.Helper()
	for file := range r.setup.Home {
		b, err := os.ReadFile(filepath.Join(r.home, file))
		require.NoError(t, err)
		r.setup.Home[file] = string(b)
	}
}

// ripples runs ripple as the agent's user.
func (r rig) ripples(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	return r.run(t, append([]string{r.ripple}, args...)...)
}

// shell runs a command line as the agent's user.
func (r rig) shell(t *testing.T, line string) {
	t.Helper()
	r.run(t, "sh", "-c", line)
}

func (r rig) run(t *testing.T, argv ...string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound/2)
	defer cancel()
	cmd := r.command(ctx, t, "text") // for its environment and home
	cmd.Args = argv
	var err error
	cmd.Path, err = exec.LookPath(argv[0])
	require.NoError(t, err)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = time.Second // a descendant may hold the output open
	require.NoError(t, cmd.Run(), "%s: %s%s", argv, &out, &said)
	return out.String(), said.String()
}
