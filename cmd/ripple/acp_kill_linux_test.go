package main

import (
	"encoding/json"
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

	"ripple/runtime/loop/journal"
)

// Whom a shot hits.
const (
	hitsAgent      = 1 << iota
	hitsLoop       // the half of ripple run that works
	hitsLoopKeeper // the one that was started
	hitsLoopUndertaker
	hitsServer // those of ripple acp
	hitsServerKeeper
	hitsServerUndertaker

	everybody = 1<<iota - 1
	anyLoop   = hitsLoop | hitsLoopKeeper | hitsLoopUndertaker
	anyServer = hitsServer | hitsServerKeeper | hitsServerUndertaker
)

// person sits in an editor, in front of an agent that asks.
type person struct {
	*looped
	e       *editor // that is open now
	session string
	prompt  string      // the request that has no answer; empty: none
	open    *acpMessage // what is asked there and has no reply
	replied bool        // it has one
}

func newPerson(t *testing.T) *person {
	p := &person{looped: newAsker(t)}
	p.sitDown()
	return p
}

// sitDown opens an editor, with the session of the one before.
func (p *person) sitDown() {
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

// What somebody in an editor sees next.
const (
	isAsked = iota
	hasAnswer
	isAlone // ripple is gone
)

// sees takes what comes.
func (p *person) sees() (int, acpMessage) {
	p.t.Helper()
	bound := time.After(2 * time.Minute)
	for {
		select {
		case m, there := <-p.e.from:
			switch {
			case !there:
				return isAlone, m
			case m.Method == "session/request_permission":
				require.Nil(p.t, p.open, "it is asked once")
				require.False(p.t, p.replied, "an answer is enough")
				p.open = &m
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

// replies answers what is open; ripple may be gone.
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

// shoot kills those who are there.
func (p *person) shoot(victims int) {
	server := p.e.cmd.Process.Pid
	loop := firstChild(inner(server))
	pids := map[int]int{
		hitsServerKeeper: server, hitsServerUndertaker: firstChild(server), hitsServer: inner(server),
		hitsLoopKeeper: loop, hitsLoopUndertaker: firstChild(loop), hitsLoop: inner(loop), hitsAgent: p.agent(),
	}
	for whom, pid := range pids {
		if victims&whom != 0 && pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
		}
	}
}

// agent is the process of the asker, 0 when it is gone.
func (l *looped) agent() int {
	data, _ := os.ReadFile(filepath.Join(l.dir, "project/pid")) // it may not be there
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline") // it may be gone
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

// survives is what happens after a shot, until the loop goes on or has come to its end.
func (p *person) survives(victims int) (done bool) {
	switch {
	case victims&anyServer != 0:
		for what := -1; what != isAlone; what, _ = p.sees() {
		}
		p.e.nothingLeft()
		p.whole()
		report, err := journal.ReadReport(filepath.Join(p.dir, "project"))
		require.NoError(p.t, err)
		p.replied = p.replied && !p.isOpen() // ripple was gone before it could read it
		p.sitDown()
		return report.State == "completed"
	case victims&anyLoop != 0:
		what, m := p.sees()
		require.Equal(p.t, hasAnswer, what)
		p.whole()
		if p.replied {
			require.Eventually(p.t, func() bool { return !p.isOpen() }, acpBound, 5*time.Millisecond, "what ripple was told it has")
		}
		return m.Error == nil && p.e.stop(m) == "end_turn"
	}
	return false
}

// someVictims are one or more of them, mostly few. Who kills an undertaker together with
// another process of the same ripple leaves something (proctree.Guard).
func someVictims() (some int) {
	for some == 0 {
		some = rand.IntN(everybody+1) & rand.IntN(everybody+1)
	}
	if some&(hitsLoop|hitsLoopKeeper) != 0 {
		some &^= hitsLoopUndertaker
	}
	if some&(hitsServer|hitsServerKeeper) != 0 {
		some &^= hitsServerUndertaker
	}
	return some
}

func pause(most time.Duration) { <-time.After(time.Duration(rand.Int64N(int64(most)))) }

// kill -9 of the agent, of the loop, of ripple acp, or of several of them while the person
// in an editor is asked, and after he has answered: the record has one question and one
// answer, and the agent is told nothing else.
func TestKilledWhileAnEditorIsAsked(t *testing.T) {
	t.Parallel()
	moments := 3
	if thorough {
		moments = 200
	}
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
			p.prompt = p.e.prompt("Make it.")
		}
		if p.open == nil {
			what, m := p.sees()
			require.NotEqual(p.t, isAlone, what, "ripple goes on")
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
			victims := someVictims()
			happened = append(happened, strconv.Itoa(victims)+" "+strconv.FormatBool(p.replied))
			p.shoot(victims)
			if p.survives(victims) {
				break
			}
		}
		if p.replied {
			p.open = nil
		}
	}
	assert.Equal(p.t, map[string]int{"asked q1": 1, "answered q1": 1}, p.asked())
	told, err := os.ReadFile(filepath.Join(p.dir, "project/told"))
	require.NoError(p.t, err)
	lines := strings.Split(strings.TrimSpace(string(told)), "\n")
	for _, line := range lines[:len(lines)-1] {
		assert.Regexp(p.t, `"yes"|"cancelled"`, line, "the answer, or that the turn is cancelled")
	}
	assert.Contains(p.t, lines[len(lines)-1], `"yes"`)
	assert.NoFileExists(p.t, filepath.Join(p.dir, "project/.ralph/.answers"))
}
