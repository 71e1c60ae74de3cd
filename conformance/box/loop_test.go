//go:build linux

package box

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// loop runs a loop of one turn in the fixture's working tree. In the turn, and in its check, a
// script is run; where there is none it is "".
func (f *fixture) loop(t *testing.T, ripple, agent, check string, flags ...string) (said string, code int) {
	t.Helper()
	f.prepare(t, agent, check)
	return f.runLoop(t, ripple, flags...)
}

// prepare writes the scenario and its scripts.
func (f *fixture) prepare(t *testing.T, agent, check string) {
	t.Helper()
	w := f.variables["W"]
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(w, name), []byte(text), 0o755))
		if f.credential != nil {
			require.NoError(t, os.Chown(filepath.Join(w, name), int(f.credential.Uid), int(f.credential.Gid)))
		}
	}
	write("turn.sh", f.exports()+agent+"\n:\n")
	write("check.sh", f.exports()+check+"\n:\n")
	write("scenario.yaml", "turns: [{steps: [{run: sh turn.sh}, {text: \"{prompt}\\n\\nLOOP_COMPLETE\"}]}]\n")
}

func (f *fixture) runLoop(t *testing.T, ripple string, flags ...string) (said string, code int) {
	t.Helper()
	args := append([]string{"RIPPLE_SCENARIO=scenario.yaml", ripple, "run", "--adapter", "rehearsal", "--prompt", "go", "--max-turns", "3", "--verify", "sh check.sh"}, flags...)
	_, said, code = f.outcome(t, "env", args...)
	return said, code
}

// boxed are the flags of a loop in a box.
var boxed = []string{"--box", "--box-env", "RIPPLE_SCENARIO"}

// What a loop's agent and its checks attempt succeeds without a box, and fails in one, over each
// transport.
func TestLoop(t *testing.T) {
	t.Parallel()
	possible(t)
	s := newServices(t)
	ripple := built(t)
	const harm = `echo PWNED >>"$H/.bashrc"; cat "$H/.ssh/id" >got-file; curl -s "http://127.0.0.1:$TCP/" >got-net; curl -s http://denied.test/; touch "$W/ran"`
	const kill = `kill -9 $(sed 's/[^0-9]*\([0-9]*\).*/\1/;q' .ralph/loop.lock); touch "$W/ran"`
	users := slices.Sorted(maps.Keys(kinds()))
	taken, all := 0, 0
	for kind, credential := range kinds() {
		for i, where := range []string{"stdio", "acp", "screen", "check"} {
			all++
			if !testkit.Thorough && users[i%len(users)] != kind {
				continue // the sample has each of them as one user, by turns
			}
			taken++
			t.Run(kind+"/"+where, func(t *testing.T) {
				t.Parallel()
				run := func(script string, flags ...string) (f *fixture, said string, code int) {
					f = newFixture(t, s, credential)
					if where == "check" {
						said, code = f.loop(t, ripple, "", script, flags...)
					} else {
						said, code = f.loop(t, ripple, script, "", append(flags, "--transport", where)...)
					}
					return f, said, code
				}
				holds := func(f *fixture, name, text string) bool {
					data, _ := os.ReadFile(name) // it may be missing
					return strings.Contains(string(data), text)
				}
				f, said, code := run(harm)
				require.Zero(t, code, said)
				require.True(t, holds(f, f.variables["H"]+"/.bashrc", harmed), said)
				require.True(t, holds(f, f.variables["W"]+"/got-file", secret), said)
				require.True(t, holds(f, f.variables["W"]+"/got-net", secret), said)

				f, said, code = run(harm, boxed...)
				assert.Zero(t, code, said)
				assert.FileExists(t, f.variables["W"]+"/ran", said)
				assert.Empty(t, f.harm(t, said))
				assert.Contains(t, said, "the box denied a connection to denied.test:80: not an allowed host")
				assert.True(t, holds(f, f.variables["W"]+"/.ralph/events.jsonl", `"type":"box_denied"`))
				_, status, _ := f.outcome(t, ripple, "status")
				assert.Empty(t, status)

				_, said, code = run(kill)
				require.NotZero(t, code, said)
				f, said, code = run(kill, boxed...)
				assert.Zero(t, code, said)
				assert.FileExists(t, f.variables["W"]+"/ran", said)
			})
		}
	}
	testkit.LogSample(t, taken, all)
}

// The scripted agent in a box reads the user's scenario, wherever that is, and nothing beside it.
func TestLoopScenario(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		w, o := f.variables["W"], f.variables["O"]
		f.prepare(t, `touch ran; cat "$O/secret" >got-file`, "")
		require.NoError(t, os.Rename(w+"/scenario.yaml", o+"/scenario.yaml"))
		_, said, code := f.outcome(t, "env", "RIPPLE_SCENARIO="+o+"/scenario.yaml", ripple, "run", "--adapter", "rehearsal", "--prompt", "go", "--box")
		assert.Zero(t, code, said)
		assert.FileExists(t, w+"/ran", said)
		data, err := os.ReadFile(w + "/got-file")
		require.NoError(t, err)
		assert.Empty(t, string(data))
	})
}

// A program in the box of a loop changes neither the loop's record nor answers its questions.
func TestLoopRecord(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		attack := func(name string) string {
			return fmt.Sprintf("echo PWNED >>.ralph/%[1]s; rm -f .ralph/%[1]s; echo PWNED >.ralph/%[1]s; mv .ralph .ralph2; echo x >x; echo '- [x] all' >.ralph/@fix_plan.md\n", name)
		}
		require.NoError(t, os.Mkdir(f.variables["W"]+"/.ralph", 0o777))
		require.NoError(t, os.WriteFile(f.variables["W"]+"/.ralph/@fix_plan.md", []byte("- [ ] all\n"), 0o666))
		require.NoError(t, os.Chmod(f.variables["W"]+"/.ralph/@fix_plan.md", 0o666))
		require.NoError(t, os.Chmod(f.variables["W"]+"/.ralph", 0o777))
		var script strings.Builder
		for _, name := range []string{"events.jsonl", ".answers", "loop.lock", ".ralphrc", "status.json"} {
			script.WriteString(attack(name))
		}
		said, code := f.loop(t, ripple, script.String(), "", append(boxed, "--trust")...)
		assert.Zero(t, code, said)
		for _, name := range []string{"events.jsonl", ".answers", "loop.lock", ".ralphrc", "status.json"} {
			assert.NoFileExists(t, f.variables["W"]+"/.ralph2")
			data, _ := os.ReadFile(f.variables["W"] + "/.ralph/" + name) // some must be missing
			assert.NotContains(t, string(data), harmed)
		}
		plan, err := os.ReadFile(f.variables["W"] + "/.ralph/@fix_plan.md")
		require.NoError(t, err)
		assert.Equal(t, "- [x] all\n", string(plan), said)
	})
}

// A resumed run is in a box if it began in one. The agent learns of a denial once.
func TestLoopResumed(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		w := f.variables["W"]
		said, code := f.loop(t, ripple, `curl -s http://denied.test/; echo "$RIPPLE_IN_BOX" >>turns; echo x >.envrc; mkdir -p a; echo x >a/conftest.py`, `exit 1`, append(boxed, "--max-turns", "2")...)
		assert.NotZero(t, code, said)
		assert.Contains(t, said, "review     these before you run anything here: .envrc, a/conftest.py")
		assert.Contains(t, said, "denied     connections to denied.test:80\n")
		stdout, said, _ := f.outcome(t, "env", "RIPPLE_SCENARIO=scenario.yaml", ripple, "run", "--resume", "--max-turns", "3")
		turns, err := os.ReadFile(w + "/turns")
		require.NoError(t, err)
		assert.Equal(t, "1\n1\n1\n", string(turns), said)
		assert.NotContains(t, stdout, "The box denied")
		events, err := os.ReadFile(w + "/.ralph/events.jsonl")
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(events), `"type":"box_denied"`))
		assert.Equal(t, 1, strings.Count(string(events), `The box denied connections to denied.test:80.`), string(events))
		status, _, _ := f.outcome(t, ripple, "status")
		assert.Contains(t, status, "connections to denied.test:80")
		assert.Empty(t, f.harm(t, said))
	})
}

// Repositories that a program in the box creates make git run nothing outside when ripple looks
// at the tree or commits. With a filter the loop stops, because git would run it.
func TestLoopRepositories(t *testing.T) {
	t.Parallel()
	possible(t)
	t.Run("a filter", func(t *testing.T) { loopRepositories(t, `git config filter.x.clean "$W/inner/run"`) })
	t.Run("no filter", func(t *testing.T) { loopRepositories(t, ":") })
}

func loopRepositories(t *testing.T, filter string) {
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "bash", "-c", `mkdir tracked-hooks; touch tracked-hooks/x; git add .; git commit -qm hooks; git config core.hooksPath tracked-hooks`)
		require.Zero(t, code, said)
		said, code = f.loop(t, ripple, `git init -q inner; cd inner; echo x >f; git add f; git commit -qm x
			printf '#!/bin/sh\ntouch "%s/claim"; touch "%s/../inner-ran"\n' "$W" "$W" >run; chmod +x run; mkdir -p .git/hooks; cp run .git/hooks/post-index-change
			git config core.fsmonitor "$W/inner/run"; `+filter+`; git config diff.external "$W/inner/run"
			printf '#!/bin/sh\ntouch "%s/../hook-ran"\n' "$W" >../tracked-hooks/pre-commit; chmod +x ../tracked-hooks/pre-commit
			cd ..; git -c core.fsmonitor=false add inner; echo "* filter=x" >inner/.gitattributes; echo changed >>inner/f; rm -f claim`, "rm -f claim", append(boxed, "--commit")...)
		assert.NoFileExists(t, f.base+"/inner-ran", said)
		assert.NoFileExists(t, f.base+"/hook-ran", said)
		if filter != ":" {
			assert.NotZero(t, code, said)
			assert.Contains(t, said, "nobody has approved")
			return
		}
		assert.Contains(t, []int{0, 7, 8}, code, said)
		assert.Regexp(t, `review +these before you run anything here: inner/\.git\b`, said)
		log, _, _ := f.outcome(t, "git", "-c", "core.fsmonitor=false", "log", "--format=%s")
		assert.Greater(t, strings.Count(log, "\n"), 2, "nothing was committed: %s", said)
		_, _, _ = f.outcome(t, "git", "status")
		assert.FileExists(t, f.base+"/inner-ran", "the attack does not work at all")
	})
}

// In a working tree of its own, the agent reaches no other one, and its commits arrive.
func TestLoopWorktree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.prepare(t, `echo x >made; git add made; git commit -qm made; touch "$W/outside" "$W/.ralph/specs/outside"; echo PWNED >>"$W/.ralph/events.jsonl"; echo "- [x] all" >"$W/.ralph/@fix_plan.md"`, "")
		_, said, code := f.outcome(t, "bash", "-c", `mkdir .ralph; echo "- [ ] all" >.ralph/@fix_plan.md; ln -s ../.git .ralph/specs; git add turn.sh check.sh scenario.yaml; git commit -qm scripts`)
		require.Zero(t, code, said)
		said, code = f.runLoop(t, ripple, append(boxed, "--worktree", "side", "--trust")...)
		assert.Zero(t, code, said)
		plan, err := os.ReadFile(f.variables["W"] + "/.ralph/@fix_plan.md")
		require.NoError(t, err)
		assert.Equal(t, "- [x] all\n", string(plan), said)
		log, _, _ := f.outcome(t, "git", "log", "--format=%s", "side")
		assert.Equal(t, "made\nscripts\nw\n", log, said)
		assert.NoFileExists(t, f.variables["W"]+"/outside")
		assert.NoFileExists(t, f.variables["W"]+"/.git/outside")
	})
}

// A program in a box cannot put a symbolic link in place of a directory around the mount points of the next box.
func TestLoopMountPoints(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		said, code := f.loop(t, ripple, `touch ran; for d in ~ "$W"; do mv "${d%/*}" "${d%/*}-2" && ln -s "/oldroot$O" "${d%/*}" && touch moved; done`, `touch checked`, boxed...)
		assert.Zero(t, code, said)
		assert.FileExists(t, f.variables["W"]+"/ran")
		assert.NoFileExists(t, f.variables["W"]+"/moved")
		assert.FileExists(t, f.variables["W"]+"/checked")
		assert.Empty(t, f.harm(t, said))
	})
}

// Programs that an agent puts into a directory of PATH in the working tree are not run outside of the box: neither as the command that shows
// notifications, nor when the next loop examines its agent.
func TestLoopProgramsOfTheTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		w := f.variables["W"]
		f.prepare(t, `mkdir -p .venv/bin; printf '#!/bin/sh\necho PWNED >>"%s/.bashrc"; echo 2.5.0\n' "$H" >.venv/bin/notify-send; chmod +x .venv/bin/notify-send; cp .venv/bin/notify-send .venv/bin/claude`, "")
		run := append([]string{"RIPPLE_SCENARIO=scenario.yaml", "DISPLAY=:0", "PATH=" + w + "/.venv/bin:" + os.Getenv("PATH"), ripple, "run", "--prompt", "go", "--max-turns", "1", "--notify"}, boxed...)
		_, said, _ := f.outcome(t, "env", append(run, "--adapter", "rehearsal")...)
		assert.FileExists(t, w+"/.venv/bin/notify-send", said)
		assert.Empty(t, f.harm(t, said))
		_, said, _ = f.outcome(t, "env", append(run, "--adapter", "claude", "--resume=false")...)
		assert.Contains(t, said, "turn 1")
		assert.Empty(t, f.harm(t, said))
	})
}

// Without what a box needs, no turn is taken.
func TestLoopWithoutNamespaces(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		_, said, code := f.outcome(t, "unshare", "-Ur", "sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces || exit 99; exec "$0" run --adapter rehearsal --box --prompt go`, ripple)
		assert.Equal(t, 3, code, said)
		assert.Contains(t, said, "bubblewrap cannot create namespaces")
		assert.Contains(t, said, "sudo sysctl -w user.max_user_namespaces=")
		assert.NoFileExists(t, f.variables["W"]+"/.ralph/events.jsonl")
	})
}

// Files that an agent hides from git, by bits of the index or by a replaced commit, are listed for review, too.
func TestLoopHiddenChanges(t *testing.T) {
	t.Parallel()
	possible(t)
	for name, hide := range map[string]string{
		"assume-unchanged": `git update-index --assume-unchanged package.json s/package.json`,
		"skip-worktree":    `git update-index --skip-worktree package.json s/package.json`,
		"replaced commit": `git update-index package.json s/package.json; t=$(git write-tree)
			git replace HEAD "$(git cat-file commit HEAD | sed "s/^tree .*/tree $t/" | git hash-object -t commit -w --stdin)"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, ripple string, f *fixture) {
				_, said, code := f.outcome(t, "bash", "-c", `mkdir s; echo '{}' >package.json; echo '{}' >s/package.json; echo '{}' >.npmrc; git add .; git commit -qm p; git update-index --skip-worktree .npmrc`)
				require.Zero(t, code, said)
				said, code = f.loop(t, ripple, `for f in package.json s/package.json; do echo evil >$f; done; `+hide, "", boxed...)
				assert.Zero(t, code, said)
				assert.Contains(t, said, "these before you run anything here: package.json, s/package.json\n")
			})
		})
	}
}

// A box has its private files where its programs cannot write, even if the directory for temporary files is in the working tree: what
// they put there would be followed outside of the box.
func TestTemporaryFilesInTheTree(t *testing.T) {
	t.Parallel()
	possible(t)
	each(t, func(t *testing.T, ripple string, f *fixture) {
		f.prepare(t, `ls -d tmp/ripple-box-* >>seen; for d in tmp/ripple-box-*; do for n in 2 3 4 5; do ln -s "$H/.bashrc" $d/start-$n; done; done`, "")
		_, said, code := f.outcome(t, "sh", "-c", "mkdir tmp; echo tmp >.gitignore; exec env RIPPLE_SCENARIO=scenario.yaml TMPDIR=$PWD/tmp "+
			ripple+" run --adapter rehearsal --prompt go --max-turns 3 --verify 'sh check.sh' "+strings.Join(boxed, " "))
		assert.Zero(t, code, said)
		assert.FileExists(t, f.variables["W"]+"/seen", said)
		text, err := os.ReadFile(f.variables["H"] + "/.bashrc")
		require.NoError(t, err)
		assert.Equal(t, "\n", string(text))
		_, said, code = f.outcome(t, "sh", "-c", "TMPDIR=$PWD/tmp "+ripple+" box -- sh -c 'ls -d tmp/ripple-box-*'")
		assert.NotZero(t, code, said)
	})
}
