//go:build linux

package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
)

const askerAdapter = `schema: 1
name: asker
version: 1.0.0
description: asks in the middle of its turn
family: agent
process: {executable: sh}
agent: {display_name: Asker, transport: acp, acp: {args: [agent.sh]}}
`

// askerScript speaks the Agent Client Protocol: it asks for a permission in each turn, and records
// the answers.
const askerScript = `echo $$ > pid
while read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":1,"agentCapabilities":{}}}' ;;
  *'"method":"session/new"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s-1"}}' ;;
  *'"method":"session/prompt"'*) prompt=$id
    echo '{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t1","title":"make","kind":"execute","rawInput":{"command":"make"}},"options":[{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}' ;;
  *'"method":"_'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"unknown"}}' ;;
  *'"outcome"'*) printf '%s\n' "$line" >> told; echo x >> work
    echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"LOOP_COMPLETE"}}}}'
    echo '{"jsonrpc":"2.0","id":'$prompt',"result":{"stopReason":"end_turn"}}' ;;
  esac
done
`

func newAsker(t *testing.T) *testLoop {
	l := newTestLoop(t, "turns: [{steps: []}]")
	project := filepath.Join(l.dir, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".ripple/adapters"), 0o755))
	for name, text := range map[string]string{".ripple/adapters/asker.yaml": askerAdapter, "agent.sh": askerScript} {
		require.NoError(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	return l
}

// runningLoop is a running loop.
type runningLoop struct {
	*exec.Cmd
	out  bytes.Buffer
	done chan struct{}
}

func (l *testLoop) begin(args ...string) *runningLoop {
	b := &runningLoop{Cmd: l.command(append(args, "--adapter", "asker", "--wait-for-answer")...), done: make(chan struct{})}
	b.Stdout, b.Stderr = &b.out, &b.out
	require.NoError(l.t, b.Start())
	go func() {
		_ = b.Wait() // the caller checks the state
		close(b.done)
	}()
	return b
}

// awaitEnd waits for the end of ripple and all its processes.
func (l *testLoop) awaitEnd(b *runningLoop) {
	l.t.Helper()
	select {
	case <-b.done:
	case <-time.After(testkit.Patience(2 * time.Minute)):
		_ = b.Process.Kill() // it has to end
		<-b.done
		l.t.Fatalf("it goes on: %s", &b.out)
	}
	r := running{Cmd: b.Cmd, mark: l.mark}
	require.Eventually(l.t, func() bool { return len(r.left()) == 0 }, testkit.Patience(30*time.Second), 10*time.Millisecond, "no process is left")
}

// waits waits until the loop's record has an open question.
func (l *testLoop) waits(b *runningLoop) {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		open, err := journal.OpenQuestions(filepath.Join(l.dir, "project"))
		return err == nil && len(open) == 1 && open[0].ID == "q1"
	}, testkit.Patience(time.Minute), 5*time.Millisecond)
}

// kill kills the agent, one of ripple's processes, or all of them. It reports whether a process of
// ripple was killed: the inner one may not exist yet.
func (l *testLoop) kill(b *runningLoop, victims int) (ripple bool) {
	agent := l.agent()
	if inside := inner(b.Process.Pid); victims&2 != 0 && inside > 0 {
		ripple = true
		_ = syscall.Kill(inside, syscall.SIGKILL) // it may have ended
	}
	if victims&4 != 0 {
		ripple = true
		_ = b.Process.Kill() // see above
	}
	if victims&1 != 0 && agent > 0 {
		_ = syscall.Kill(agent, syscall.SIGKILL) // see above
	}
	return ripple
}

func (l *testLoop) answer(b *runningLoop) {
	path, err := binary()
	require.NoError(l.t, err)
	cmd := exec.Command(path, "answer", "--allow")
	cmd.Dir, cmd.Env = filepath.Join(l.dir, "project"), append(os.Environ(), "HOME="+l.dir)
	said, err := cmd.CombinedOutput()
	require.NoError(l.t, err, "%s", said)
	again := exec.Command(path, "answer", "q1", "--deny")
	again.Dir, again.Env = cmd.Dir, cmd.Env
	assert.Error(l.t, again.Run(), "one answer is all")
}

// An agent that cannot continue sessions begins a new one in each turn.
func TestLoopOfAnAgentWithoutSessions(t *testing.T) {
	t.Parallel()
	l := newAsker(t)
	script := strings.Replace(askerScript, "LOOP_COMPLETE", "I go on.", 1)
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "project/agent.sh"), []byte(script), 0o600))
	cmd := l.command("--adapter", "asker", "--allow", "*", "--max-turns", "3")
	out, _ := cmd.CombinedOutput() // see the code
	assert.Equal(t, 5, cmd.ProcessState.ExitCode(), "%s", out)
	assert.Equal(t, 3, strings.Count(string(out), ": made progress"), "%s", out)
}

// kill -9 of the agent, of ripple, or of both while the agent waits for an answer, and after it was
// given: asked once, answered once, never lost, and the agent receives nothing else.
func TestKilledWhileTheAgentAsks(t *testing.T) {
	t.Parallel()
	moments := testkit.Times(t, 4, 200)
	for kills := 0; kills < moments; {
		l := newAsker(t)
		b := l.begin()
		answered := false
		for rounds := 1 + rand.IntN(3); rounds > 0; rounds-- {
			if !answered {
				l.waits(b)
			}
			<-time.After(time.Duration(rand.Int64N(int64(40 * time.Millisecond))))
			early := !answered && rand.IntN(4) == 0
			if early {
				answered = true
				l.answer(b)
				<-time.After(time.Duration(rand.Int64N(int64(150 * time.Millisecond))))
			}
			kills++
			if l.kill(b, 1+rand.IntN(7)) {
				l.awaitEnd(b)
				if !answered && rand.IntN(4) == 0 { // nothing is running
					answered = true
					l.answer(b)
				}
				l.checkFiles()
				if b.ProcessState.ExitCode() == 0 {
					break
				}
				b = l.begin("--resume")
			}
		}
		if !answered {
			l.waits(b)
			l.answer(b)
		}
		l.awaitEnd(b)
		require.Equal(t, 0, b.ProcessState.ExitCode(), "%s", &b.out)
		require.Equal(t, map[string]int{"asked q1": 1, "answered q1": 1}, l.asked(), "%s", &b.out)
		told, err := os.ReadFile(filepath.Join(l.dir, "project/told"))
		require.NoError(t, err)
		for line := range strings.Lines(string(told)) {
			require.Contains(t, line, `"yes"`, "never anything else")
		}
		require.NoFileExists(t, filepath.Join(l.dir, "project/.ralph/.answers"))
	}
}
