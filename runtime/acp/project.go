package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// face says which session a project's run belongs to. It is kept beside the run, so that
// the session is there as long as that.
type face struct {
	Session  string `json:"session"`
	Run      string `json:"run"`                 // empty: it has not begun, or was canceled before that
	ExitCode *int   `json:"exit_code,omitempty"` // how it ended; nil: not known, it may have been killed
}

func (ss *session) store() *journal.Store { return journal.NewStore(ss.dir, nil) }

func (ss *session) readFace() (f face) {
	data, err := layout.Read(ss.dir, layout.FaceFile)
	if err != nil || json.Unmarshal(data, &f) != nil {
		return face{}
	}
	return f
}

func (ss *session) writeFace(f face) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return ss.store().Write(layout.FaceFile, append(data, '\n'))
}

// prepare returns the command of the loop for a prompt. A loop of this session that waits
// for a person, was stopped or was killed is continued, and the prompt is the person's
// answer. A loop that has reached a limit is restarted with its task and the prompt.
// Otherwise the prompt is the task of a new loop.
func (ss *session) prepare(text string) ([]string, error) {
	if err := layout.Check(ss.dir); err != nil {
		return nil, err
	}
	if ss.o.Claim != nil {
		if err := ss.o.Claim(ss.dir); err != nil {
			return nil, err
		}
	}
	store := ss.store()
	if err := store.Make(); err != nil {
		return nil, err
	}
	if err := journal.Await(ss.dir); err != nil { // that loop may still be writing
		return nil, err
	}
	if err := ss.adopt(); err != nil {
		return nil, err
	}
	left, err := ss.left()
	if err != nil {
		return nil, err
	}
	file := store.Path(layout.TaskFile)
	switch left {
	case waiting:
		if err := ss.answerOrGuide(text); err != nil {
			return nil, err
		}
		if !store.Files().Exists(layout.TaskFile) {
			file = ""
		}
		return ss.o.LoopCommand(file, true), nil
	case spent:
		task, err := layout.Read(ss.dir, layout.TaskFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		text = strings.TrimSpace(strings.TrimSpace(string(task)) + "\n\n" + text)
	}
	if err := store.Write(layout.TaskFile, []byte(text+"\n")); err != nil {
		return nil, err
	}
	return ss.o.LoopCommand(file, false), ss.writeFace(face{Session: ss.id})
}

// How the loop stands that the session began last.
const (
	none    = iota // there is none, it is done, or others have begun one since
	waiting        // it can be continued
	spent          // likewise, and a bound of it is reached; or it was canceled before it began
)

func (ss *session) left() (int, error) {
	f := ss.readFace()
	if f.Session == ss.id && f.Run == "" && f.ExitCode != nil {
		return spent, nil
	}
	talk, err := journal.ReadTalk(ss.dir)
	if err != nil || f.Session != ss.id || f.Run == "" || f.Run != talk.Run {
		return none, err
	}
	report, err := journal.ReadReport(ss.dir)
	switch {
	case err != nil, report.State == "completed":
		return none, err
	case f.ExitCode != nil && stopReason(*f.ExitCode) == "max_turn_requests":
		return spent, nil
	}
	return waiting, nil
}

// errTooLong is of words for a loop that waits.
var errTooLong = fmt.Errorf("the loop that waits here accepts at most %d bytes: write the text into a file, and send the name of the file", journal.MaxReply)

// answerOrGuide takes what a person says to a loop that has stopped: the answer to what
// it asked, or words for its next prompt.
func (ss *session) answerOrGuide(text string) error {
	if len(text) > journal.MaxReply {
		return errTooLong
	}
	now := time.Now().Round(0).UTC()
	err := journal.Answer(ss.dir, now, func(open []record.Question) (string, event.Answer, error) {
		for _, q := range open {
			if q.Kind == event.AskText {
				return q.ID, event.Answer{Text: text, By: byClient}, nil
			}
		}
		return "", event.Answer{}, journal.ErrNoQuestion
	})
	if errors.Is(err, journal.ErrNoQuestion) {
		err = journal.Leave(ss.dir, text, now)
	}
	return err
}

// byClient is who answers by the protocol.
const byClient = "a user, in an editor"

// unbegun notes that a loop was canceled before it began: its task is not done, and
// belongs to that of the next prompt.
func (ss *session) unbegun() {
	f := ss.readFace()
	if f.Session != ss.id || f.Run != "" {
		return // of a loop that goes on
	}
	cancelled := 130
	f.ExitCode = &cancelled
	if err := ss.writeFace(f); err != nil {
		ss.log("the requests before the cancel are dropped: %v", err)
	}
}

// sign notes which run the session has, as soon as there is one.
func (ss *session) sign() { ss.note(face{Session: ss.id}) }

// settle notes how it ended.
func (ss *session) settle(exitCode int) { ss.note(face{Session: ss.id, ExitCode: &exitCode}) }

func (ss *session) note(f face) {
	talk, err := journal.ReadTalk(ss.dir)
	if f.Run = talk.Run; err == nil {
		err = ss.writeFace(f)
	}
	if err != nil {
		ss.log("the session cannot be loaded again: %v", err)
	}
}

// goOn loads an earlier session, by its own id or by the id of the run in the directory,
// even if that run was not started by a client.
func (s *Server) goOn(m rpc.Message, replay bool) *rpc.Error {
	p, e := s.place(m)
	if e != nil {
		return e
	}
	if s.o.Agent != nil {
		return &rpc.Error{Code: rpc.CodeNoMethod, Message: m.Method + ": sessions in single-turn mode are not kept; begin a new session"}
	}
	if old := s.sessions[p.Session]; old != nil && old.open != nil {
		return &rpc.Error{Code: rpc.CodeNoRequest, Message: "the session's previous prompt is still being answered"}
	}
	if s.o.OnlyOwn != "" && s.sessions[p.Session] == nil {
		return &rpc.Error{Code: rpc.CodeNoRequest, Message: s.o.OnlyOwn}
	}
	if s.o.RunTurn != nil {
		s.sessions[p.Session] = &session{Server: s, id: p.Session, dir: p.Dir, servers: p.Servers}
		s.conn.Reply(m.ID, map[string]any{})
		return nil
	}
	ss := &session{Server: s, id: p.Session, dir: p.Dir, servers: p.Servers}
	f := ss.readFace()
	talk, err := journal.ReadTalk(ss.dir)
	switch {
	case err != nil:
		return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	case talk.Run == "" || f.Session != ss.id && ss.id != talk.Run, f.Session == ss.id && f.Run != talk.Run:
		return &rpc.Error{Code: rpc.CodeNotFound, Message: fmt.Sprintf("session %q no longer exists in %s: a directory keeps only the session of its last loop", ss.id, ss.dir)}
	case f.Session != ss.id:
		ss.adopts = talk.Run
	}
	s.sessions[ss.id] = ss
	id, ownTask := m.ID, f.Run == talk.Run
	s.start(func() {
		if replay {
			ss.guard("showing the session's history", nil, func() { ss.history(ownTask) })
		}
		s.locked(func() { s.conn.Reply(id, map[string]any{}) })
	})
	return nil
}

// adopt makes the run of others that was loaded the session's, at its first prompt: loading changes no file, because the checks
// of Options.Claim come with a prompt. If there is another run by now, it does nothing.
func (ss *session) adopt() error {
	run := ss.adopts
	if run == "" {
		return nil
	}
	talk, err := journal.ReadTalk(ss.dir)
	if err == nil && talk.Run == run {
		f := ss.readFace()
		if f.Run != run { // the task is that of another run
			f = face{Run: run}
			err = ss.store().Remove(layout.TaskFile)
		}
		if f.Session = ss.id; err == nil {
			err = ss.writeFace(f)
		}
	}
	if err == nil {
		ss.adopts = ""
	}
	return err
}

// list reports the session of a directory, or those of this connection
// (https://agentclientprotocol.com/protocol/v1/session-list).
func (s *Server) list(m rpc.Message) *rpc.Error {
	var p struct {
		Dir string `json:"cwd"`
	}
	if e := read(m, &p); e != nil {
		return e
	}
	if s.o.Agent != nil {
		return &rpc.Error{Code: rpc.CodeNoMethod, Message: "sessions in single-turn mode are not kept"}
	}
	list := []any{}
	if p.Dir == "" || s.o.RunTurn != nil {
		for _, ss := range s.sessions {
			list = append(list, map[string]any{"sessionId": ss.id, "cwd": ss.dir})
		}
		s.conn.Reply(m.ID, map[string]any{"sessions": list})
		return nil
	}
	ss := &session{Server: s, dir: p.Dir}
	talk, err := journal.ReadTalk(p.Dir)
	if err != nil {
		return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	if talk.Run != "" {
		ss.id = talk.Run
		info := map[string]any{"cwd": p.Dir}
		if f := ss.readFace(); f.Run == talk.Run {
			ss.id = f.Session
			task, _ := layout.Read(ss.dir, layout.TaskFile) // without it the session has no title
			info["title"] = record.OneLine(string(task), 80)
		}
		info["sessionId"] = ss.id
		list = append(list, info)
	}
	s.conn.Reply(m.ID, map[string]any{"sessions": list})
	return nil
}
