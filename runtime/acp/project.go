package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/internal/rpc"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// face says which session a project's run belongs to. It is kept beside the run, so that
// the session is there as long as that.
type face struct {
	Session  string `json:"session"`
	Run      string `json:"run"`                 // empty: it has not begun, or was cancelled before that
	ExitCode *int   `json:"exit_code,omitempty"` // how it ended; nil: not known, it may have been killed
}

func (ss *session) store() *journal.Store { return journal.NewStore(ss.dir, nil) }

func (ss *session) readFace() (f face) {
	data, err := layout.ReadFile(ss.store().Path(layout.FaceFile))
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

// prepare is the command of the loop that a prompt asks for. A loop of
// this session that waits for a person, was stopped or killed goes on, and the prompt is
// what the person says to it; one that has reached a bound is begun anew with both, and
// else the prompt is the task of a new one.
func (ss *session) prepare(text string) ([]string, error) {
	if err := layout.Check(ss.dir); err != nil {
		return nil, err
	}
	store := ss.store()
	if err := store.Make(); err != nil {
		return nil, err
	}
	if err := journal.Await(ss.dir); err != nil { // what is written next is that loop's
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
		if !layout.There(file) {
			file = ""
		}
		return ss.o.Loop(file, true), nil
	case spent:
		task, err := layout.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		text = strings.TrimSpace(strings.TrimSpace(string(task)) + "\n\n" + text)
	}
	if err := store.Write(layout.TaskFile, []byte(text+"\n")); err != nil {
		return nil, err
	}
	return ss.o.Loop(file, false), ss.writeFace(face{Session: ss.id})
}

// How the loop stands that the session began last.
const (
	none    = iota // there is none, it is done, or others have begun one since
	waiting        // it can be gone on with
	spent          // likewise, and a bound of it is reached; or it was cancelled before it began
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
var errTooLong = fmt.Errorf("a loop waits here, and takes no more than %d bytes: write them into a file, and name the file", journal.MaxReply)

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
const byClient = "a person, in an editor"

// unbegun notes that a loop was cancelled before it began: its task is not done, and
// belongs to that of the next prompt.
func (ss *session) unbegun() {
	f := ss.readFace()
	if f.Session != ss.id || f.Run != "" {
		return // of a loop that goes on
	}
	cancelled := 130
	f.ExitCode = &cancelled
	if err := ss.writeFace(f); err != nil {
		ss.log("what was asked for before the cancel is forgotten: %v", err)
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

// goOn takes up a session of before, by its own id or by that of the run which is in the
// directory, whoever began it.
func (s *Server) goOn(m rpc.Message, replay bool) *rpc.Error {
	p, e := s.place(m)
	if e != nil {
		return e
	}
	if s.o.Agent != nil {
		return &rpc.Error{Code: rpc.CodeNoMethod, Message: m.Method + ": turns of one agent are not kept; begin a new session"}
	}
	if old := s.sessions[p.Session]; old != nil && old.open != nil {
		return &rpc.Error{Code: rpc.CodeNoRequest, Message: "the session has a prompt that has no answer yet"}
	}
	if s.o.Play != nil {
		s.sessions[p.Session] = &session{Server: s, id: p.Session, dir: p.Dir}
		s.conn.Reply(m.ID, map[string]any{})
		return nil
	}
	ss := &session{Server: s, id: p.Session, dir: p.Dir}
	f := ss.readFace()
	talk, err := journal.ReadTalk(ss.dir)
	switch {
	case err != nil:
		return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	case talk.Run == "" || f.Session != ss.id && ss.id != talk.Run, f.Session == ss.id && f.Run != talk.Run:
		return &rpc.Error{Code: rpc.CodeNotFound, Message: fmt.Sprintf("there is no session %q in %s any more: a directory has that of its last loop", ss.id, ss.dir)}
	case f.Session != ss.id:
		if err := ss.adopt(talk.Run); err != nil {
			return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
		}
	}
	s.sessions[ss.id] = ss
	id := m.ID
	s.start(func() {
		if replay {
			ss.history()
		}
		s.locked(func() { s.conn.Reply(id, map[string]any{}) })
	})
	return nil
}

// adopt makes a run of others the session's.
func (ss *session) adopt(run string) error {
	if err := os.Remove(ss.store().Path(layout.TaskFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return ss.writeFace(face{Session: ss.id, Run: run})
}

// list tells of the session that a directory has, or of those of this connection
// (https://agentclientprotocol.com/protocol/v1/session-list).
func (s *Server) list(m rpc.Message) *rpc.Error {
	var p struct {
		Dir string `json:"cwd"`
	}
	if e := read(m, &p); e != nil {
		return e
	}
	if s.o.Agent != nil {
		return &rpc.Error{Code: rpc.CodeNoMethod, Message: "turns of one agent are not kept"}
	}
	list := []any{}
	if p.Dir == "" || s.o.Play != nil {
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
			task, _ := layout.ReadFile(ss.store().Path(layout.TaskFile)) // without it the session has no title
			info["title"] = record.OneLine(string(task), 80)
		}
		info["sessionId"] = ss.id
		list = append(list, info)
	}
	s.conn.Reply(m.ID, map[string]any{"sessions": list})
	return nil
}
