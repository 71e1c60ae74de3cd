//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// write writes a file of the project.
func (h *hostile) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	require.NoError(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(h.t, os.WriteFile(path, []byte(text), 0o600))
}

// The file of a task that the project names is read after an approval, and only in the project. The user may name any file.
func TestThePromptFileOfAProject(t *testing.T) {
	t.Parallel()
	h := newHostile(t, map[string]string{"ripple.yml": "event_loop: {prompt_file: task.md}\n", ".ralph/PROMPT.md": "x"})
	secret, task := filepath.Join(filepath.Dir(h.dir), "secret.yaml"), filepath.Join(h.dir, "task.md")
	require.NoError(t, os.WriteFile(secret, []byte("SECRET-4711: [\n"), 0o600))
	dry := strings.Fields("run --dry-run --adapter rehearsal")
	hidden := func(want string, args ...string) {
		t.Helper()
		out, _ := h.run(args...)
		assert.NotContains(t, out, "SECRET-4711", args)
		assert.Contains(t, out, want, args)
	}

	require.NoError(t, os.Symlink("../secret.yaml", task))
	hidden("task.md is not read, because the file that names it has not been approved", dry...)
	hidden("the task is not read: ", "trust", "--show")
	hidden("event_loop.prompt_file: task.md", "trust")
	hidden("leads out of "+h.dir+", to "+secret, dry...)
	hidden("leads out of "+h.dir+", to "+secret, "run", "--adapter", "rehearsal", "--max-turns", "1")
	h.write("ripple.yml", "event_loop: {prompt_file: "+secret+"}\n")
	hidden("secret.yaml is outside of "+h.dir, "trust")
	hidden("secret.yaml is outside of "+h.dir, dry...)
	h.write("ripple.yml", "event_loop: {prompt_file: ../secret.yaml}\n")
	hidden("secret.yaml is outside of "+h.dir, append(dry, "--trust")...)
	for _, path := range []string{"task.md", task} { // an agent may have made the link
		hidden("leads out of "+h.dir+", to "+secret, append(dry, "--prompt-file", path)...)
	}
	out, code := h.run(append(dry, "--prompt-file", secret)...)
	assert.Zero(t, code, out)
	assert.Contains(t, out, "SECRET-4711", "the user has named it")

	require.NoError(t, os.Remove(task))
	require.NoError(t, os.Symlink("real.md", task))
	h.write("real.md", "THE TASK\n")
	h.write("ripple.yml", "event_loop: {prompt_file: task.md}\nloop: {max_turns: 2}\n")
	out, code = h.run(dry...)
	assert.Zero(t, code, out)
	assert.NotContains(t, out, "THE TASK")
	out, _ = h.run("trust")
	assert.Contains(t, out, "the task is read, through a link, from: "+filepath.Join(h.dir, "real.md"))
	out, code = h.run(dry...)
	assert.Zero(t, code, out)
	assert.Contains(t, out, "THE TASK")
}

// An agent that a box confines, for example, cannot replace the file of its task by a link to a file that it may not read.
func TestATaskThatBecomesALinkIsNotRead(t *testing.T) {
	t.Parallel()
	h := newHostile(t, map[string]string{"task.md": "the task\n"})
	top := filepath.Dir(h.dir)
	require.NoError(t, os.WriteFile(filepath.Join(top, "secret"), []byte("SECRET-4711\n"), 0o600))
	program, mine := filepath.Join(top, "agent"), filepath.Join(top, "mine.yaml")
	script := "#!/bin/sh\ncase $1 in --version | auth) echo 1; exit;; esac\necho \"$@\" >>../got\necho x >>work\nln -sf ../secret task.md\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	require.NoError(t, os.WriteFile(mine, []byte(strings.ReplaceAll(agentAdapter, "EVIL", program)), 0o600))
	out, code := h.run("run", "--adapter", mine, "--max-turns", "3", "--prompt-file", "task.md")
	assert.Equal(t, ui.ExitMissing, code, out)
	assert.Contains(t, out, "leads out of "+h.dir)
	got, err := os.ReadFile(filepath.Join(top, "got"))
	require.NoError(t, err)
	assert.Contains(t, string(got), "the task")
	assert.NotContains(t, string(got), "SECRET-4711")
}

// The record of a run names files that are read only after an approval, and the task only in the project.
func TestTheFilesOfARecordNeedApproval(t *testing.T) {
	t.Parallel()
	h := newHostile(t, map[string]string{"task.md": "the task\n"})
	secret, record := filepath.Join(filepath.Dir(h.dir), "secret.yaml"), filepath.Join(h.dir, ".ralph", "events.jsonl")
	require.NoError(t, os.WriteFile(secret, []byte("SECRET-4711: [\n"), 0o600))
	out, code := h.run(strings.Fields("run --adapter rehearsal --max-turns 1 --prompt-file task.md")...)
	require.Equal(t, ui.ExitLimit, code, out)
	resume, dry := strings.Fields("run --resume --max-turns 2"), strings.Fields("run --resume --max-turns 2 --dry-run")
	out, code = h.run(dry...)
	assert.Zero(t, code, out)
	assert.Contains(t, out, "the task")

	require.NoError(t, os.Remove(filepath.Join(h.dir, "task.md")))
	require.NoError(t, os.Symlink(secret, filepath.Join(h.dir, "task.md")))
	for _, args := range [][]string{dry, resume, {"trust", "--show"}} {
		out, _ = h.run(args...)
		assert.NotContains(t, out, "SECRET-4711", args)
		assert.Contains(t, out, "leads out of ", args)
	}
	require.NoError(t, os.Remove(filepath.Join(h.dir, "task.md")))
	h.write("task.md", "the task\n")
	text, err := os.ReadFile(record)
	require.NoError(t, err)
	h.write("other.md", "THE OTHER TASK\n")
	require.NoError(t, os.WriteFile(record, []byte(strings.ReplaceAll(string(text), "task.md", "other.md")), 0o600))
	out, code = h.run(dry...)
	assert.Zero(t, code, out)
	assert.NotContains(t, out, "THE OTHER TASK")
	assert.Contains(t, out, "other.md is not read, because the file that names it has not been approved")

	for _, key := range []string{`"value":"rehearsal"`, `"agent":"rehearsal"`} {
		changed := strings.ReplaceAll(string(text), key, strings.Replace(key, "rehearsal", secret, 1))
		require.NotEqual(t, string(text), changed)
		require.NoError(t, os.WriteFile(record, []byte(changed), 0o600))
		out, code = h.run(dry...)
		assert.Equal(t, ui.ExitUsage, code, out)
		assert.NotContains(t, out, "SECRET-4711")
		assert.Contains(t, out, "have not been approved")
	}
}

// The approval of a run's record shows the adapters that the run was given by their paths, like those in .ripple/adapters, and
// nothing of other files that the record names.
func TestTheAdaptersOfARecordAreShown(t *testing.T) {
	t.Parallel()
	h := newHostile(t, nil)
	top := filepath.Dir(h.dir)
	good, secret, record := filepath.Join(top, "good"), filepath.Join(top, "secret.yaml"), filepath.Join(h.dir, ".ralph", "events.jsonl")
	require.NoError(t, os.WriteFile(good, []byte("#!/bin/sh\necho 1\n"), 0o700))
	require.NoError(t, os.WriteFile(secret, []byte("SECRET-4711: [\n"), 0o600))
	text := strings.NewReplacer("EVIL", good, "name: helper", "name: claude").Replace(agentAdapter)
	h.write("mine.yaml", text)
	out, code := h.run(strings.Fields("run --prompt x --max-turns 1 --adapter ./mine.yaml --trust")...)
	require.Equal(t, ui.ExitLimit, code, out)
	h.environ = append(h.environ, "XDG_STATE_HOME="+t.TempDir()) // another user gets the directory
	for _, args := range [][]string{{"trust", "--show"}, {"run", "--resume", "--max-turns", "2"}} {
		out, _ = h.run(args...)
		assert.Contains(t, out, "  adapter ./mine.yaml: replaces: claude\n  adapter ./mine.yaml: starts: "+good+"\n", args)
		assert.Contains(t, out, "  adapter ./mine.yaml: agent.auth.status.args: auth\n", args)
	}

	h.write("mine.yaml", strings.ReplaceAll(text, good, filepath.Join(top, "evil")))
	out, _ = h.run("trust", "--show")
	assert.Contains(t, out, "adapter ./mine.yaml: is not used, because it has changed since the run began")
	assert.NotContains(t, out, "starts:")
	kept, err := os.ReadFile(record)
	require.NoError(t, err)
	h.write(".ralph/events.jsonl", strings.ReplaceAll(string(kept), "./mine.yaml", secret))
	out, _ = h.run("trust", "--show")
	assert.Contains(t, out, secret+": is not used")
	assert.NotContains(t, out, "SECRET-4711")
	many := `"adapter_files":{`
	for i := range 200 {
		many += `"./` + strconv.Itoa(i) + `.yaml":"x",`
	}
	h.write(".ralph/events.jsonl", strings.ReplaceAll(string(kept), `"adapter_files":{`, many))
	out, _ = h.run("trust", "--show")
	assert.Contains(t, out, "(not used: it names more than 100 adapter files)")

	// One file counts under each of its names.
	h.write("large.yaml", text+strings.Repeat("# a comment\n", 50_000))
	large := `"adapter_files":{"./large.yaml":"x","././large.yaml":"x",`
	h.write(".ralph/events.jsonl", strings.ReplaceAll(string(kept), `"adapter_files":{`, large))
	out, _ = h.run("trust", "--show")
	assert.Contains(t, out, "(not used: it names more than 1024 KB of adapter files)")
}

// Of the adapter files that the record of a run names, only regular files are opened before an approval: no command waits for
// a pipe or a terminal, reads its own input, or reads a file that the kernel makes, such as /proc/kmsg, whose reads may have effects.
func TestARecordNamesNoDevices(t *testing.T) {
	t.Parallel()
	h := newHostile(t, map[string]string{"mine.yaml": strings.NewReplacer("name: helper", "name: claude").Replace(agentAdapter)})
	top := filepath.Dir(h.dir)
	out, code := h.run(strings.Fields("run --prompt x --max-turns 1 --adapter ./mine.yaml --trust")...)
	require.Equal(t, ui.ExitLimit, code, out)
	h.environ = append(h.environ, "XDG_STATE_HOME="+t.TempDir()) // another user gets the directory
	kept, err := os.ReadFile(filepath.Join(h.dir, ".ralph", "events.jsonl"))
	require.NoError(t, err)
	path, err := binary()
	require.NoError(t, err)
	pipe := filepath.Join(top, "pipe.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(top, "zero.yaml")
	require.NoError(t, os.Symlink("/dev/zero", link))
	for _, name := range []string{"/dev/stdin", "/dev/tty", "/proc/kmsg", pipe, link} {
		h.write(".ralph/events.jsonl", strings.ReplaceAll(string(kept), "./mine.yaml", name))
		for _, args := range [][]string{{"trust", "--show"}, {"run", "--resume", "--max-turns", "2"}} {
			in, w, err := os.Pipe()
			require.NoError(t, err)
			_, err = w.WriteString("typed by the user\n") // and not the end
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), commandTimeout/4)
			cmd := exec.CommandContext(ctx, path, args...)
			cmd.Dir, cmd.Env, cmd.Stdin = h.dir, h.environ, in
			out, err := cmd.CombinedOutput()
			assert.NoError(t, ctx.Err(), "it hangs: %s, %v", name, args)
			cancel()
			if args[0] == "trust" {
				assert.NoError(t, err, string(out))
				assert.Contains(t, string(out), "adapter "+name+": is not used, because it has changed since the run began", args)
			}
			require.NoError(t, w.Close())
			rest, err := io.ReadAll(in)
			require.NoError(t, errors.Join(err, in.Close()))
			assert.Equal(t, "typed by the user\n", string(rest), "%s, %v", name, args)
		}
	}
}

// A .ralphrc that nobody approved cannot make a command show variables of the environment, and messages about one that was
// approved do not show them either.
func TestAForeignFileShowsNoVariables(t *testing.T) {
	h := newHostile(t, nil)
	h.environ = append(h.environ, "SECRET_TOKEN=s4711key")
	h.here()
	for _, line := range []string{
		"PLATFORM_DRIVER=$SECRET_TOKEN", "PLATFORM_DRIVER=./$SECRET_TOKEN", "FALLBACK=$SECRET_TOKEN", "FALLBACK=./$SECRET_TOKEN", "VERIFY=$SECRET_TOKEN",
		"PROJECT_NAME=$SECRET_TOKEN", "WORKTREE=$SECRET_TOKEN", "COMPLETION_PROMISE=$SECRET_TOKEN", "ALLOWED_TOOLS=$SECRET_TOKEN", "MAX_TURNS=$SECRET_TOKEN",
	} {
		h.write(".ralphrc", line+"\n")
		for _, args := range []string{"run --prompt x", "run --prompt x --adapter rehearsal"} { // which must not start
			out, _ := h.run(strings.Fields(args)...)
			assert.NotContains(t, out, "s4711key", "%s: %s", line, args)
		}
		for _, args := range []string{"run --prompt x --dry-run --adapter rehearsal", "run --prompt x --dry-run", "hats", "trust --show"} {
			out, _ := h.said(strings.Fields(args)...)
			assert.NotContains(t, out, "s4711key", "%s: %s", line, args)
		}
	}
	h.write(".ralphrc", "VERIFY=$SECRET_TOKEN\n")
	out, code := h.said(strings.Fields("run --prompt x --dry-run --adapter rehearsal")...)
	assert.Zero(t, code, out)
	assert.Regexp(t, `(?m)^  VERIFY +\$SECRET_TOKEN `, out)
	assert.Contains(t, out, "variables of the environment have no values here")
	for line, want := range map[string]string{
		"PLATFORM_DRIVER=$SECRET_TOKEN":   "PLATFORM_DRIVER: no agent has the name $SECRET_TOKEN with its variables",
		"PLATFORM_DRIVER=./$SECRET_TOKEN": "PLATFORM_DRIVER: ./$SECRET_TOKEN is a path",
		"FALLBACK=$SECRET_TOKEN":          "FALLBACK: no agent has the name $SECRET_TOKEN with its variables",
		"VERIFY=$SECRET_TOKEN":            "$SECRET_TOKEN",
	} {
		h.write(".ralphrc", line+"\n")
		args := strings.Fields("run --prompt x --dry-run --trust")
		if !strings.HasPrefix(line, "PLATFORM_DRIVER") {
			args = append(args, "--adapter", "rehearsal")
		}
		out, _ := h.said(args...)
		assert.Contains(t, out, want)
		assert.NotContains(t, out, "s4711key", line)
	}

	require.NoError(t, os.Remove(filepath.Join(h.dir, ".ralphrc")))
	out, code = h.run(strings.Fields("run --prompt x --adapter rehearsal --max-turns 1")...)
	require.Equal(t, ui.ExitLimit, code, out)
	h.write(".ralphrc", "PROJECT_NAME=$SECRET_TOKEN\n")
	for _, args := range []string{"run --resume --max-turns 2", "run --resume --max-turns 2 --dry-run", "run --resume --max-turns 2 --trust"} {
		out, code := h.run(strings.Fields(args)...)
		assert.NotContains(t, out, "s4711key", args)
		if strings.HasSuffix(args, "2") {
			assert.Equal(t, ui.ExitUsage, code, "it asks first: %s", out)
		} else {
			assert.Contains(t, out, `PROJECT_NAME is "$SECRET_TOKEN" now`)
		}
	}
}

// What an approved file of settings asks for, such as a box or a check, is not taken away without a question: the file may have lost it, be
// gone, or be hidden by another one.
func TestApprovedSettingsAreNotTakenAwayUnasked(t *testing.T) {
	t.Parallel()
	const approved, limits = "box: {}\nloop: {max_turns: 1, verify: ['true'], deny: ['Bash(git push *)']}\n", "loop: {max_turns: 1}\n"
	for name, tt := range map[string]struct {
		sub, file, text string // where the loop runs, and what is approved
		change          func(h *hostile)
		says            []string
	}{
		"only limits": {
			"", "ripple.yml", approved, func(h *hostile) { h.write("ripple.yml", limits) },
			[]string{"ripple.yml\n  was approved and only sets limits now\n  no longer: loop.deny: Bash(git push *)\n  no longer: loop.verify: true\n  no longer: box:\n", "  -box: {}\n"},
		},
		"gone": {
			"", "ripple.yml", approved, func(h *hostile) {
				h.write("ripple.yml", "")
				require.NoError(t, os.Remove(filepath.Join(h.dir, "ripple.yml")))
			},
			[]string{"ripple.yml\n  was approved and is gone\n  no longer: loop.deny: Bash(git push *)\n  no longer: loop.verify: true\n  no longer: box:\n"},
		},
		"hidden": {
			"sub", "../ripple.yml", approved, func(h *hostile) { h.write("ripple.yml", limits) },
			[]string{"ripple.yml\n  was approved and is no longer found from here\n  no longer: loop.deny: Bash(git push *)\n  no longer: loop.verify: true\n  no longer: box:\n"},
		},
		"hidden by a repository": {
			"sub", "../ripple.yml", approved, func(h *hostile) { h.write(".git/HEAD", "ref: refs/heads/main\n") },
			[]string{"ripple.yml\n  was approved and is no longer found from here\n  no longer: loop.deny: Bash(git push *)\n  no longer: loop.verify: true\n  no longer: box:\n"},
		},
		"a variable": {
			"", ".ralphrc", "BOX=true\nMAX_TURNS=1\n", func(h *hostile) { h.write(".ralphrc", "MAX_TURNS=1\n") },
			[]string{".ralphrc\n  was approved and only sets limits now\n  no longer: BOX=true\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHostile(t, map[string]string{tt.sub + "/x": "", "ripple.yml": limits})
			h.dir = filepath.Join(h.dir, tt.sub)
			run := strings.Fields("run --adapter rehearsal --prompt hi --max-turns 1")
			asks := func(says []string, args ...string) {
				t.Helper()
				out, code := h.run(args...)
				assert.Equal(t, ui.ExitUsage, code, out)
				for _, want := range append(says, "approved settings of this project no longer apply", "to approve it: ripple trust\n") {
					assert.Contains(t, out, want)
				}
			}
			goesOn := func(args ...string) {
				t.Helper()
				out, code := h.run(args...)
				assert.Equal(t, ui.ExitLimit, code, out)
				assert.NotContains(t, out, "approve")
			}
			tt.change(h)
			goesOn(run...) // nothing was ever approved
			if tt.sub != "" {
				require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".git")))
				_ = os.Remove(filepath.Join(h.dir, "ripple.yml"))
			}
			h.write(tt.file, tt.text)
			out, code := h.run("trust")
			require.Zero(t, code, out)
			tt.change(h)

			out, code = h.run("trust", "--show")
			assert.Zero(t, code)
			for _, want := range tt.says {
				assert.Contains(t, out, want)
			}
			asks(tt.says, run...)
			goesOn(append(run, "--trust")...)
			asks(tt.says, run...) // --trust was for one command
			h.environ = append(h.environ, ui.TrustVariable+"=never")
			out, code = h.run(run...)
			assert.Equal(t, ui.ExitUsage, code, out)
			h.environ = h.environ[:len(h.environ)-1]

			out, code = h.run("trust")
			assert.Zero(t, code, out)
			goesOn(run...)
			out, _ = h.run("trust", "--show")
			assert.NotContains(t, out, "no longer")
			h.write("ripple.yml", "loop: {max_turns: 3}\n")
			goesOn(run...) // limits may change freely again
			h.write(".ralphrc", "BOX=true\nMAX_TURNS=1\n")
			out, code = h.run(run...)
			assert.Equal(t, ui.ExitUsage, code, out)
			assert.Contains(t, out, "have not been approved")
		})
	}
}

// An agent that removes an approved ripple.yml does not approve the one that it lets ripple init write.
func TestAnAgentReplacesNoApprovedSettings(t *testing.T) {
	t.Parallel()
	path, err := binary()
	require.NoError(t, err)
	h := newHostile(t, map[string]string{"ripple.yml": "loop: {verify: ['true'], deny: ['Bash(git push *)']}\n"})
	out, code := h.run("trust")
	require.Zero(t, code, out)
	top := filepath.Dir(h.dir)
	program, mine := filepath.Join(top, "agent"), filepath.Join(top, "mine.yaml")
	script := "#!/bin/sh\ncase $1 in --version | auth) echo 1; exit;; esac\nrm ripple.yml\n" + path + " init --preset review >../said 2>&1\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	require.NoError(t, os.WriteFile(mine, []byte(strings.ReplaceAll(agentAdapter, "EVIL", program)), 0o600))
	h.run("run", "--adapter", mine, "--max-turns", "1", "--prompt", "x")
	said, err := os.ReadFile(filepath.Join(top, "said"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(h.dir, "ripple.yml"), string(said))
	out, code = h.run("run", "--adapter", "rehearsal", "--max-turns", "1", "--prompt", "x")
	assert.Equal(t, ui.ExitUsage, code, out)
	assert.Contains(t, out, "ripple.yml (changed since it was approved)")
	assert.Contains(t, out, "-loop: {verify: ['true'], deny: ['Bash(git push *)']}\n")
}
