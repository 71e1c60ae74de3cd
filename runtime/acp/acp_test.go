package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

func TestPromptText(t *testing.T) {
	for content, want := range map[string]string{
		`[{"type":"text","text":"a "},{"type":"text","text":"b"}]`:                                                   "a b",
		`[{"type":"text","text":"look at "},{"type":"resource_link","uri":"file:///p/a.go","name":"a.go"}]`:          "look at @/p/a.go",
		`[{"type":"text","text":"mend "},{"type":"resource","resource":{"uri":"file:///p/a.go","text":"x := 1\n"}}]`: "mend @/p/a.go\n\n/p/a.go:\n\n```\nx := 1\n```",
		"[{\"type\":\"resource\",\"resource\":{\"uri\":\"zed://rule\",\"text\":\"```\\na\\n```\"}}]":                 "@zed://rule\n\nzed://rule:\n\n````\n```\na\n```\n````",
		`[{"type":"resource","resource":{"uri":"file:///p/a.png","blob":"AAAA"}}]`:                                   "",
		`[{"type":"text","text":"a\u0000b"}]`:                                                                        "a\ufffdb", // no argument of a program has a NUL byte
		`[{"type":"audio"}]`:                                                                                         "", `[]`: "", `[{"type":"text"}]`: "",
	} {
		var blocks []block
		require.NoError(t, json.Unmarshal([]byte(content), &blocks))
		text, e := promptText(blocks)
		assert.Equal(t, want, text)
		assert.Equal(t, want == "", e != nil, content)
	}
}

func TestStatusBlocksAreNotShown(t *testing.T) {
	const block = "---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---"
	for text, want := range map[string]string{
		"done\n\n" + block:                       "done\n",
		"done\n\n```\n" + block + "\n```\n":      "done\n\n",
		"a\n" + block + "\nb\n" + block + "\nc":  "a\nb\nc",
		"---RALPH_STATUS---\nit is not complete": "---RALPH_STATUS---\nit is not complete",
		"nothing":                                "nothing", block: "\n",
	} {
		assert.Equal(t, want, withoutStatus(text))
	}
}

// A client that reads nothing holds up a loop, and nobody else; one that leaves too
// much is given up.
func TestAClientThatDoesNotRead(t *testing.T) {
	r, w := io.Pipe()
	o := newOutbox(w)
	line := bytes.Repeat([]byte("x"), 1<<20)
	for range outboxRoom>>20 + 1 {
		o.send(line) // never waits
	}
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan struct{})
	go func() { o.room(ctx); close(waited) }()
	select {
	case <-waited:
		assert.Fail(t, "there is no room")
	default:
	}
	cancel()
	<-waited
	for range outboxMost >> 20 {
		o.send(line)
	}
	<-o.gone
	assert.ErrorIs(t, o.failed(), errUnread)
	require.NoError(t, r.Close())
	<-o.done
}

// Whatever comes, and however it is cut into pieces: each line of the answer is a
// message, nothing panics, and the server ends with its input.
func FuzzServer(f *testing.F) {
	const opened = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	f.Add(opened + `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}` + "\n")
	f.Add(opened + `{"jsonrpc":"2.0","id":"x","method":"session/prompt","params":{"sessionId":"no","prompt":[]}}` + "\r\n\r\n" + `{"id":1}`)
	f.Add(opened + `{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"a","cwd":"/nowhere"}}` + "\nno json\n[]\n{\n")
	f.Add(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":null}}` + "\n" + `{"jsonrpc":"2.0","id":[1],"method":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "new") {
			t.Skip() // its id is random
		}
		serve := func(in io.Reader) []string {
			var out bytes.Buffer
			s := New(Options{LoopCommand: func(string, bool) []string { return []string{"false"} }})
			require.NoError(t, s.Serve(t.Context(), in, &out))
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			for _, line := range lines {
				assert.True(t, line == "" || json.Valid([]byte(line)), line)
			}
			return lines
		}
		assert.Equal(t, serve(strings.NewReader(text)), serve(iotest.OneByteReader(strings.NewReader(text))))
	})
}

// A person may take a week for an answer, in the middle of a turn or of a loop: nothing
// here has a clock that would guess one.
func TestAnAnswerAfterAWeek(t *testing.T) {
	const week = 7 * 24 * time.Hour
	q := event.Question{ID: "q1", Kind: event.AskPermission, Text: "make", Options: []event.Option{{ID: "yes", Kind: event.AllowOnce}}}
	opened := func(t *testing.T) (s *Server, ss *session, told chan rpc.Message) {
		told = make(chan rpc.Message, 10)
		s = New(Options{})
		s.conn.Send = func(line []byte) {
			m, is := rpc.Parse(line)
			assert.True(t, is)
			told <- m
		}
		return s, &session{Server: s, id: "s", dir: t.TempDir()}, told
	}
	answers := func(s *Server, m rpc.Message) {
		s.line([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`))
	}
	t.Run("in a turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, ss, told := opened(t)
			began := time.Now()
			go func() {
				m := <-told
				<-time.After(week)
				answers(s, m)
			}()
			a, err := ss.askInTurn(t.Context(), q, "")
			require.NoError(t, err)
			assert.Equal(t, event.Answer{Option: "yes", By: byClient}, a)
			assert.GreaterOrEqual(t, time.Since(began), week)
		})
	})
	t.Run("in a loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, ss, told := opened(t)
			of := record.Question{Question: q, Turn: 1, Asked: time.Now(), From: record.FromRequest, Holds: true}
			line, err := json.Marshal(record.Line{Turn: 1, Time: of.Asked, Type: record.Asked, Question: &of})
			require.NoError(t, err)
			require.NoError(t, ss.store().Make())
			require.NoError(t, os.WriteFile(ss.store().Path(layout.EventsFile), append(line, '\n'), 0o600))
			a := newAsking(ss)
			a.later = func() { assert.Fail(t, "it waits") }
			a.ask(of, "may it")
			a.ask(of, "may it") // the turn is taken again
			m := <-told
			<-time.After(week)
			assert.True(t, a.inTurn())
			open, err := journal.OpenQuestions(ss.dir)
			require.NoError(t, err)
			require.Len(t, open, 1)
			answers(s, m)
			answers(s, m)
			a.ask(of, "may it") // the loop has not read the answer
			s.work.Wait()
			a.answered(of.ID)
			a.ask(of, "may it")
			assert.Empty(t, told, "it is asked once")
			assert.False(t, a.inTurn())
			open, err = journal.OpenQuestions(ss.dir)
			require.NoError(t, err)
			assert.Empty(t, open)
			replies, err := journal.NewReplies(ss.store()).Read()
			require.NoError(t, err)
			require.Len(t, replies, 1)
			assert.Equal(t, event.Answer{Option: "yes", By: byClient}, replies[0].Answer)
		})
	})
	t.Run("dismissed in a loop", func(t *testing.T) {
		s, ss, told := opened(t)
		of, ends := record.Question{Question: q, From: record.FromRequest}, 0
		a := newAsking(ss)
		a.later = func() { ends++ }
		a.ask(of, "may it")
		s.line([]byte(`{"jsonrpc":"2.0","id":` + string((<-told).ID) + `,"result":{"outcome":{"outcome":"cancelled"}}}`))
		a.ask(of, "may it") // the loop has not ended yet
		assert.Empty(t, told)
		assert.Equal(t, 1, ends)
		assert.Equal(t, &of, a.end())
	})
}

// An answer that was on its way when the loop ended counts; one to a run before does not.
func TestAnAnswerThatComesLate(t *testing.T) {
	for name, c := range map[string]struct {
		choice string
		now    time.Duration // the time between it and the question that is open now
		left   int
	}{
		"the loop has ended":  {choice: "yes", left: 0},
		"it chooses nothing":  {choice: "no option", left: 1},
		"another run goes on": {choice: "yes", now: time.Hour, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []rpc.Message
			s := New(Options{})
			s.conn.Send = func(line []byte) {
				m, _ := rpc.Parse(line)
				sent = append(sent, m)
			}
			ss := &session{Server: s, id: "s", dir: t.TempDir()}
			require.NoError(t, ss.store().Make())
			q := event.Question{ID: "q1", Kind: event.AskPermission, Text: "make", Options: []event.Option{{ID: "yes", Kind: event.AllowOnce}}}
			of := record.Question{Question: q, Turn: 1, Asked: time.Now().Round(0), From: record.FromRequest}
			there := of
			there.Asked = of.Asked.Add(c.now)
			line, err := json.Marshal(record.Line{Turn: 1, Type: record.Asked, Question: &there})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(ss.store().Path(layout.EventsFile), append(line, '\n'), 0o600))
			a := newAsking(ss)
			a.later = func() { assert.Fail(t, "there is nothing to end") }
			a.ask(of, "may it")
			assert.Nil(t, a.end())
			require.Len(t, sent, 2, "asked, and taken back")
			assert.Equal(t, "$/cancel_request", sent[1].Method)
			s.line([]byte(`{"jsonrpc":"2.0","id":` + string(sent[0].ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"` + c.choice + `"}}}`))
			s.work.Wait()
			open, err := journal.OpenQuestions(ss.dir)
			require.NoError(t, err)
			assert.Len(t, open, c.left)
		})
	}
}

// A session whose prompt has no answer is not taken up again: what answers it and what
// cancels it would be two.
func TestASessionThatIsOpenIsNotLoaded(t *testing.T) {
	began, told := make(chan struct{}), make(chan rpc.Message, 10)
	r, w := io.Pipe()
	s := New(Options{RunTurn: func(ctx context.Context, _ Turn) (agent.Outcome, error) {
		close(began)
		<-ctx.Done()
		return agent.Outcome{Failure: &event.Failure{Kind: event.Interrupted}}, nil
	}})
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(t.Context(), r, writes(func(line []byte) {
			m, _ := rpc.Parse(line)
			told <- m
		}))
	}()
	say := func(text string) {
		_, err := io.WriteString(w, text+"\n")
		require.NoError(t, err)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	<-told
	load := `,"method":"session/load","params":{"sessionId":"x","cwd":"/","mcpServers":[]}}`
	say(`{"jsonrpc":"2.0","id":2` + load)
	<-told
	say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"go"}]}}`)
	<-began
	say(`{"jsonrpc":"2.0","id":4` + load)
	m := <-told
	if assert.NotNil(t, m.Error) {
		assert.Equal(t, rpc.CodeNoRequest, m.Error.Code)
	}
	say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`)
	m = <-told
	assert.Equal(t, "3", string(m.ID))
	assert.Contains(t, string(m.Result), "cancelled")
	require.NoError(t, w.Close())
	require.NoError(t, <-served)
}

// A panic costs a message, a prompt or a line of a loop, and never the connection.
func TestPanicsDoNotEndTheConnection(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // for the reports
	methods["test/panic"] = func(*Server, rpc.Message) *rpc.Error { panic("in a request") }
	defer delete(methods, "test/panic")
	log := &tail{}
	s := New(Options{Log: log, RunTurn: func(_ context.Context, turn Turn) (agent.Outcome, error) {
		if turn.Prompt == "break" {
			panic("in a prompt")
		}
		return agent.Outcome{Text: "done"}, nil
	}})
	var in strings.Builder
	for _, line := range []string{
		`"id":1,"method":"initialize","params":{"protocolVersion":1}`,
		`"id":2,"method":"test/panic"`,
		`"id":3,"method":"session/load","params":{"sessionId":"x","cwd":"/","mcpServers":[]}`,
		`"id":4,"method":"session/load","params":{"sessionId":"y","cwd":"/","mcpServers":[]}`,
		`"id":5,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"break"}]}`,
		`"id":6,"method":"session/prompt","params":{"sessionId":"y","prompt":[{"type":"text","text":"work"}]}`,
	} {
		in.WriteString(`{"jsonrpc":"2.0",` + line + "}\n")
	}
	answers := map[string]rpc.Message{}
	r, w := io.Pipe()
	served := make(chan error, 1)
	all := make(chan struct{})
	go func() {
		served <- s.Serve(t.Context(), r, writes(func(line []byte) {
			m, is := rpc.Parse(line)
			if !is || len(m.ID) == 0 {
				return
			}
			answers[string(m.ID)] = m
			if len(answers) == 6 {
				close(all)
			}
		}))
	}()
	_, err := io.WriteString(w, in.String())
	require.NoError(t, err)
	<-all
	(&loopRun{session: &session{Server: s}, began: true}).line([]byte(`{"type":"asked","question":{}}`))
	require.NoError(t, w.Close())
	require.NoError(t, <-served)

	for id, want := range map[string]string{
		"2": "internal error (panic) while handling a message: in a request",
		"5": "internal error (panic) while answering a prompt: in a prompt",
	} {
		require.NotNil(t, answers[id].Error, id)
		assert.Equal(t, rpc.CodeInternal, answers[id].Error.Code, id)
		assert.Equal(t, want, answers[id].Error.Message, id)
	}
	assert.Contains(t, string(answers["6"].Result), "end_turn")
	assert.Contains(t, log.String(), "while showing a line of the loop")
	assert.Contains(t, log.String(), "please report it with")
}

// A question for words can be answered in the next prompt, whatever options it has besides.
func TestChoicesOfAField(t *testing.T) {
	q := event.Question{Kind: event.AskText, Text: "Where to?", Options: []event.Option{{ID: "d", Name: "Decline", Kind: event.RejectOnce}}}
	c := choicesOf(q, "q1", "Where to?")
	assert.Equal(t, []event.Option{{ID: answerNext, Name: "I will answer in my next message", Kind: event.RejectOnce}, q.Options[0]}, c.options)
	assert.Equal(t, map[string]event.Answer{"d": {Option: "d", By: byClient}}, c.answers)
}

type writes func([]byte)

func (w writes) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

// A run that others began is the session's only from its first prompt on, which Options.Claim may refuse.
func TestALoadedRunBecomesTheSessionsWithAPrompt(t *testing.T) {
	dir := t.TempDir()
	store := journal.NewStore(dir, nil)
	require.NoError(t, store.Make())
	other := `{"session":"other","run":"earlier"}`
	for name, text := range map[string]string{
		layout.TaskFile: "the task of the other session", layout.FaceFile: other, layout.StatusFile: `{"status":"halted"}`,
		layout.EventsFile: `{"type":"run_started","time":"2026-01-02T03:04:05Z","state":{"run":"RUN"}}` + "\n",
	} {
		require.NoError(t, store.Write(name, []byte(text)))
	}
	refused := errors.New("refused")
	s := New(Options{
		Claim:       func(string) error { return refused },
		LoopCommand: func(task string, goOn bool) []string { return []string{task, fmt.Sprint(goOn)} },
	})
	s.conn.Send = func([]byte) {}
	params, err := json.Marshal(place{Session: "RUN", Dir: dir})
	require.NoError(t, err)
	require.Nil(t, s.goOn(rpc.Message{Params: params}, false))
	s.work.Wait()
	ss := s.sessions["RUN"]
	read := func(name string) string {
		data, _ := layout.Read(dir, name) // "" if it does not exist
		return string(data)
	}
	_, err = ss.prepare("go on")
	assert.ErrorIs(t, err, refused)
	assert.Equal(t, other, read(layout.FaceFile))
	assert.NotEmpty(t, read(layout.TaskFile))
	refused = nil
	command, err := ss.prepare("go on")
	require.NoError(t, err)
	assert.Equal(t, []string{"", "true"}, command, "it is continued, with its own task")
	assert.Equal(t, face{Session: "RUN", Run: "RUN"}, ss.readFace())
	assert.Empty(t, read(layout.TaskFile))
	assert.Contains(t, read(layout.RepliesFile), "go on")
}

// The run of another session, which is loaded by its own ID, keeps its task and is continued as in that session.
func TestARunOfAnotherSessionKeepsItsTask(t *testing.T) {
	dir := t.TempDir()
	store := journal.NewStore(dir, nil)
	require.NoError(t, store.Make())
	for name, text := range map[string]string{
		layout.TaskFile: "the task", layout.FaceFile: `{"session":"other","run":"RUN","exit_code":5}`, layout.StatusFile: `{"status":"stopped"}`,
		layout.EventsFile: `{"type":"run_started","time":"2026-01-02T03:04:05Z","state":{"run":"RUN"}}` + "\n",
	} {
		require.NoError(t, store.Write(name, []byte(text)))
	}
	s := New(Options{LoopCommand: func(task string, goOn bool) []string { return []string{task, fmt.Sprint(goOn)} }})
	var sent bytes.Buffer
	s.out = newOutbox(&sent)
	s.ctx = t.Context()
	s.conn.Send = s.out.send
	params, err := json.Marshal(place{Session: "RUN", Dir: dir})
	require.NoError(t, err)
	require.Nil(t, s.goOn(rpc.Message{Params: params}, true))
	s.work.Wait()
	s.out.end(time.Minute)
	assert.Contains(t, sent.String(), "the task")
	command, err := s.sessions["RUN"].prepare("go on")
	require.NoError(t, err)
	assert.Equal(t, []string{store.Path(layout.TaskFile), "false"}, command, "its limit is reached")
	task, err := layout.Read(dir, layout.TaskFile)
	require.NoError(t, err)
	assert.Equal(t, "the task\n\ngo on\n", string(task))
}
