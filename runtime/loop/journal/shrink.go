package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// Shrink removes the oldest part of a log larger than limit bytes, so that about half of the
// limit remains: events of the agent first, and lines of the loop only if these alone exceed it.
// The lines from the last turn on remain, and so do the lines that resuming a run needs. The file
// then begins with the line left, which counts the removed lines since the log was created; words
// returns its text. If the log is small enough, nothing is removed and left.Events is 0.
func (l *Log) Shrink(limit int64, now time.Time, words func(events int, bytes int64) string) (left record.Line, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit <= 0 || l.size <= limit {
		return record.Line{}, nil
	}
	p, err := l.plan(limit / 2)
	if err != nil || p.bytes == 0 {
		return record.Line{}, err
	}
	left = record.Line{Time: now, Type: record.LeftOut, Events: p.before.Events + p.count, Bytes: p.before.Bytes + p.bytes}
	left.Why = words(left.Events, left.Bytes)
	head, err := json.Marshal(left)
	if err != nil {
		return record.Line{}, err
	}
	return left, l.replaceBy(func(to io.Writer) error {
		if _, err := to.Write(append(head, '\n')); err != nil {
			return err
		}
		return eachLine(io.NewSectionReader(l.f, 0, l.size), func(line []byte, at int64) error {
			if !p.stays(kindOf(line), at) {
				return nil
			}
			_, err := to.Write(line)
			return err
		})
	})
}

// lineKind classifies a line for Shrink.
type lineKind int

const (
	ofAgent   lineKind = iota // or of unknown origin
	ofLoop                    // the loop's own
	needed                    // how the last run started or was resumed: see Began
	starting                  // a run starts
	turning                   // a turn starts
	noteAhead                 // the first line, which counts earlier removed lines
)

// kindOf returns the kind of a line as written by a Log.
func kindOf(line []byte) lineKind {
	var v struct {
		Turn  int             `json:"turn"`
		Type  string          `json:"type"`
		State json.RawMessage `json:"state"`
	}
	_, rest, _ := bytes.Cut(line[:min(len(line), 256)], []byte(`"type":"`))
	name, _, _ := bytes.Cut(rest, []byte(`"`))
	if !own[string(name)] || json.Unmarshal(line, &v) != nil || !own[v.Type] {
		return ofAgent
	}
	switch v.Type {
	case record.RunStarted, record.WrittenBack:
		return starting
	case record.SettingsChanged:
		return needed
	case record.TurnStarted:
		return turning
	case record.LeftOut:
		if v.Turn == 0 {
			return noteAhead
		}
	}
	return ofLoop
}

// shrinking selects the lines that remain: those of the agent after one offset, those of the loop
// after another, and the needed ones of the last run.
type shrinking struct {
	events, lines, run int64

	before record.Line // lines removed earlier
	count  int
	bytes  int64
}

func (s *shrinking) stays(kind lineKind, at int64) bool {
	switch kind {
	case noteAhead:
		return false // a new one is written
	case ofAgent:
		return at >= s.events
	case starting, needed:
		return at >= s.run || at >= s.lines
	}
	return at >= s.lines
}

// plan selects the lines that remain, about target bytes.
func (l *Log) plan(target int64) (s shrinking, err error) {
	var ahead int64 // size of the earlier note
	var last int64  // offset of the part that always remains
	each := func(visit func(kind lineKind, line []byte, at int64)) error {
		return eachLine(io.NewSectionReader(l.f, 0, l.size), func(line []byte, at int64) error {
			visit(kindOf(line), line, at)
			return nil
		})
	}
	err = each(func(kind lineKind, line []byte, at int64) {
		switch kind {
		case noteAhead:
			ahead += int64(len(line))
			_ = json.Unmarshal(line, &s.before) // kindOf succeeded with it
		case starting:
			s.run, last = at, at
		case turning:
			last = at
		}
	})
	if err != nil {
		return s, err
	}
	rest := l.size - ahead
	err = each(func(kind lineKind, line []byte, at int64) {
		size := int64(len(line))
		if at >= last || rest <= target {
			return
		}
		if kind == ofAgent {
			s.events = at + size
			rest, s.count, s.bytes = rest-size, s.count+1, s.bytes+size
		}
	})
	if err != nil || rest <= target {
		return s, err
	}
	err = each(func(kind lineKind, line []byte, at int64) {
		size := int64(len(line))
		if at >= last || rest <= target {
			return
		}
		s.lines = at + size
		if kind != ofAgent && kind != noteAhead && (at < s.run || kind != starting && kind != needed) {
			rest, s.count, s.bytes = rest-size, s.count+1, s.bytes+size
		}
	})
	return s, err
}

// eachLine visits complete lines, with their line feeds.
func eachLine(from io.Reader, visit func(line []byte, at int64) error) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	for at := int64(0); ; {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(line, at); err != nil {
			return err
		}
		at += int64(len(line))
	}
}

// replaceBy replaces the log by a file that write fills, and continues with that file.
func (l *Log) replaceBy(write func(to io.Writer) error) error {
	files := l.store.files
	f, temporary, err := files.CreateTemp(layout.TempMark, "")
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(f, 64<<10)
	err = write(to)
	if err = errors.Join(err, to.Flush(), f.Sync(), f.Close()); err == nil {
		err = files.Rename(temporary, layout.EventsFile)
	}
	if err != nil {
		return errors.Join(err, files.Remove(temporary))
	}
	j, err := openLines(files, layout.EventsFile)
	if err != nil {
		return err
	}
	_ = l.f.Close() // the needed lines were copied
	l.lines = j
	return nil
}
