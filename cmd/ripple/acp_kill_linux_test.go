package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
)

// Processes to kill, as a bit set.
const (
	hitsAgent      = 1 << iota
	hitsLoop       // the inner process of ripple run
	hitsLoopKeeper // its outer process
	hitsLoopReaper
	hitsServer // the processes of ripple acp
	hitsServerKeeper
	hitsServerReaper

	everybody = 1<<iota - 1
	anyLoop   = hitsLoop | hitsLoopKeeper | hitsLoopReaper
	anyServer = hitsServer | hitsServerKeeper | hitsServerReaper
)

// person is a user in an editor, with an agent that asks.
type person struct {
	*testLoop
	e       *editor // the current editor
	session string
	prompt  string      // ID of the pending request; empty: none
	open    *acpMessage // question without a reply
	replied bool        // the question has been answered
	again   bool        // a prompt was sent since: the agent receives it in a further turn, and may ask again
	further int         // questions of further turns
}

func newPerson(t *testing.T) *person {
	p := &person{testLoop: newAsker(t)}
	p.openEditor()
	return p
}

// openEditor opens an editor, with the session of the previous one.
func (p *person) openEditor() {
	p.e = openEditorIn(p.t, p.dir, p.mark, "--adapter", "asker")
	p.e.call("initialize", map[string]any{"protocolVersion": 1})
	place := p.e.place()
	if p.session == "" {
		p.session = field(p.t, p.e.call("session/new", place).Result, "sessionId").(string)
	} else {
		place["sessionId"] = p.session
		m := p.e.call([]string{"session/load", "session/resume"}[rand.IntN(2)], place)
		require.Nil(p.t, m.Error, "%+v", m.Error)
	}
	p.e.session, p.prompt, p.open = p.session, "", nil
}

// Next event in the editor.
const (
	isAsked = iota
	hasAnswer
	isAlone // ripple has ended
)

// nextEvent waits for the next event.
func (p *person) nextEvent() (int, acpMessage) {
	p.t.Helper()
	bound := time.After(testkit.Patience(2 * time.Minute))
	for {
		select {
		case m, there := <-p.e.from:
			switch {
			case !there:
				return isAlone, m
			case m.Method == "session/request_permission":
				require.Nil(p.t, p.open, "it is asked once")
				require.True(p.t, !p.replied || p.again, "an answer is enough")
				if p.replied {
					p.further++
				}
				p.open, p.replied, p.again = &m, false, false
				return isAsked, m
			case m.Method == "$/cancel_request":
				if p.open != nil && string(p.open.ID) == string(m.Params.RequestID) {
					p.replies(false)
					p.open = nil
				}
			case m.Method == "" && string(m.ID) == p.prompt:
				p.prompt = ""
				return hasAnswer, m
			}
		case <-bound:
			require.FailNow(p.t, "nothing comes")
		}
	}
}

// replies answers the open question; ripple may have ended.
func (p *person) replies(yes bool) {
	outcome := map[string]any{"outcome": "cancelled"}
	if yes {
		p.replied = true
		outcome = map[string]any{"outcome": "selected", "optionId": "yes"}
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.open.ID, "result": map[string]any{"outcome": outcome}})
	require.NoError(p.t, err)
	_, _ = p.e.in.Write(append(b, '\n')) // see above
}

// kill kills the processes that exist.
func (p *person) kill(victims int) {
	server := p.e.cmd.Process.Pid
	loop := firstChild(inner(server))
	pids := map[int]int{
		hitsServerKeeper: server, hitsServerReaper: firstChild(server), hitsServer: inner(server),
		hitsLoopKeeper: loop, hitsLoopReaper: firstChild(loop), hitsLoop: inner(loop), hitsAgent: p.agent(),
	}
	for whom, pid := range pids {
		if victims&whom != 0 && pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// agent returns the process ID of the asker, 0 if it has ended.
func (l *testLoop) agent() int {
	data, _ := os.ReadFile(filepath.Join(l.dir, "project/pid")) // the file may not exist
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline") // the process may have ended
	if !strings.Contains(string(line), "agent.sh") {
		return 0
	}
	return pid
}

func (p *person) isOpen() bool {
	open, err := journal.OpenQuestions(filepath.Join(p.dir, "project"))
	require.NoError(p.t, err)
	return len(open) > 0
}

// survives waits after a kill until the loop continues or has ended.
func (p *person) survives(victims int) (done bool) {
	switch {
	case victims&anyServer != 0:
		for what := -1; what != isAlone; what, _ = p.nextEvent() {
		}
		p.e.nothingLeft()
		p.checkFiles()
		p.replied = p.replied && !p.isOpen() // ripple ended before it could read the reply
		p.openEditor()
		return p.completed()
	case victims&anyLoop != 0:
		what, m := p.nextEvent()
		require.Equal(p.t, hasAnswer, what)
		p.checkFiles()
		if p.replied {
			require.Eventually(p.t, func() bool { return !p.isOpen() }, acpBound, 5*time.Millisecond, "ripple has the answer that it received")
		}
		return m.Error == nil && p.e.stop(m) == "end_turn" || p.completed() // also if it was killed before it could answer
	}
	return false
}

// completed reports whether the run is complete. A further prompt would begin another one.
func (p *person) completed() bool {
	report, err := journal.ReadReport(filepath.Join(p.dir, "project"))
	require.NoError(p.t, err)
	return report.State == "completed"
}

// randomVictims returns a random set of processes, usually small. It does not combine a supervisor
// with another process of the same ripple: killing both leaves processes (proctree.Guard).
func randomVictims() (some int) {
	for some == 0 {
		some = rand.IntN(everybody+1) & rand.IntN(everybody+1)
	}
	if some&(hitsLoop|hitsLoopKeeper) != 0 {
		some &^= hitsLoopReaper
	}
	if some&(hitsServer|hitsServerKeeper) != 0 {
		some &^= hitsServerReaper
	}
	return some
}

func pause(most time.Duration) { <-time.After(time.Duration(rand.Int64N(int64(most)))) }

// kill -9 of the agent, of the loop, of ripple acp, or of several of them while a question is open
// in the editor, and after it was answered: the record contains one question and one answer, and
// the agent receives nothing else.
func TestKilledWhileAnEditorIsAsked(t *testing.T) {
	t.Parallel()
	moments := testkit.Times(t, 3, 200)
	for kills := 0; kills < moments; {
		shots := 1 + rand.IntN(3)
		kills += shots
		t.Run(strconv.Itoa(kills), func(t *testing.T) { askedInAnEditor(newPerson(t), shots) })
	}
}

func askedInAnEditor(p *person, shots int) {
	var happened []string
	defer func() {
		if p.t.Failed() {
			p.t.Log(happened)
		}
	}()
	for {
		if p.prompt == "" {
			p.prompt, p.again = p.e.prompt("Make it."), p.replied
		}
		if p.open == nil {
			what, m := p.nextEvent()
			require.NotEqual(p.t, isAlone, what, "ripple continues")
			if what == hasAnswer {
				require.Equal(p.t, "end_turn", p.e.stop(m))
				break
			}
		}
		pause(40 * time.Millisecond)
		if shots == 0 || rand.IntN(4) == 0 {
			p.replies(true)
			pause(150 * time.Millisecond)
		}
		if shots > 0 {
			shots--
			victims := randomVictims()
			happened = append(happened, strconv.Itoa(victims)+" "+strconv.FormatBool(p.replied))
			p.kill(victims)
			if p.survives(victims) {
				break
			}
		}
		if p.replied {
			p.open = nil
		}
	}
	want := map[string]int{"asked q1": 1, "answered q1": 1}
	for n := 2; n <= 1+p.further; n++ {
		want[fmt.Sprintf("asked q%d", n)], want[fmt.Sprintf("answered q%d", n)] = 1, 1
	}
	assert.Equal(p.t, want, p.asked())
	told, err := os.ReadFile(filepath.Join(p.dir, "project/told"))
	require.NoError(p.t, err)
	lines := strings.Split(strings.TrimSpace(string(told)), "\n")
	for _, line := range lines[:len(lines)-1] {
		assert.Regexp(p.t, `"yes"|"cancelled"`, line, "the answer, or that the turn is cancelled")
	}
	assert.Contains(p.t, lines[len(lines)-1], `"yes"`)
	assert.NoFileExists(p.t, filepath.Join(p.dir, "project/.ralph/.answers"))
}
