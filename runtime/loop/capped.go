package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// endSize is the size, in bytes, of the tail that is kept of output beyond a limit; it is at most
// a quarter of the limit.
const endSize = 64 << 10

// room returns the number of bytes before the tail.
func room(limit int64) int64 { return limit - min(limit/4, endSize) }

// sizeWords formats a number of bytes.
func sizeWords(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return plural(int(n), "byte")
}

// leftOutHere is the line that stands for omitted bytes.
func leftOutHere(bytes, limit int64) string {
	return fmt.Sprintf("\n[%s left out here; max_output is %s]\n", sizeWords(bytes), sizeWords(limit))
}

// cappedLog writes a log of at most limit bytes and one note. It contains the beginning of the
// output, as it arrives, and its tail, which Close writes after the note. A limit of 0 means none.
// Write errors are ignored.
type cappedLog struct {
	to    io.WriteCloser
	limit int64
	count *atomic.Int64 // is increased by what is written to to; nil: nobody counts

	written, left int64
	end           []byte
}

// newLog returns a log in the directory of the logs.
func (r *run) newLog(to io.WriteCloser) *cappedLog {
	return &cappedLog{to: to, limit: r.config.MaxOutput, count: &r.logs.written}
}

// Write accepts all of data and never fails.
func (c *cappedLog) Write(data []byte) (int, error) {
	all := len(data)
	if c.limit > 0 {
		n := max(0, min(int64(all), room(c.limit)-c.written))
		data = c.keep(data, n)
	}
	c.written += int64(len(data))
	c.pass(data)
	return all, nil
}

func (c *cappedLog) pass(data []byte) {
	_, _ = c.to.Write(data) // errors are ignored; see cappedLog
	if c.count != nil {
		c.count.Add(int64(len(data)))
	}
}

// keep returns the first n bytes and keeps the tail of the rest.
func (c *cappedLog) keep(data []byte, n int64) (first []byte) {
	first, rest := data[:n], data[n:]
	if len(rest) == 0 {
		return first
	}
	c.left += int64(len(rest))
	c.end = lastBytes(append(c.end, rest...), int(c.limit-room(c.limit)))
	return first
}

// lastBytes returns the last n bytes of data; it copies them if the array is much larger.
func lastBytes(data []byte, n int) []byte {
	if len(data) <= n {
		return data
	}
	last := data[len(data)-n:]
	if cap(data) > 4*n { // do not keep a long write in memory
		return append([]byte(nil), last...)
	}
	return data[:copy(data, last)]
}

// Close writes the number of omitted bytes, if any, and the tail.
func (c *cappedLog) Close() error {
	if n := c.left - int64(len(c.end)); n > 0 {
		c.pass([]byte(leftOutHere(n, c.limit)))
	}
	c.pass(c.end)
	return c.to.Close()
}

// cappedEvents records the events of a turn in events.jsonl, up to a limit: the first events as
// they arrive, then only small, significant ones, and on close the last ones. Of an event that is
// too large it records the beginning and the end.
type cappedEvents struct {
	*run
	turn    int
	written int64
	end     []heldEvent
	endSize int64

	count int   // omitted events, including the tail
	left  int64 // bytes of their lines
}

type heldEvent struct {
	at   time.Time
	data json.RawMessage
}

// matters reports whether an event is kept even after the limit is reached: costs, the session to
// continue, and denials.
func matters(t event.Type) bool {
	return t != event.Text && t != event.Reasoning && t != event.Unknown && t != event.ToolUse && t != event.ToolResult
}

func (c *cappedEvents) add(now time.Time, e event.Event) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("recording an event: %w", err)
	}
	limit, size := c.config.MaxOutput, lineSize(data)
	room := room(limit)
	if !matters(e.Type) {
		room -= limit / 8
	}
	if limit == 0 || c.written+size <= room && (c.count == 0 || matters(e.Type)) {
		c.written += size
		return c.log.Event(c.turn, now, data)
	}
	most := min(limit/4, endSize)
	if c.count == 0 && room-c.written >= most {
		short, err := c.shorten(e, room-c.written)
		c.written += lineSize(short)
		why := fmt.Sprintf("an event of turn %d, %s, exceeds the limit (max_output): only its beginning and end are kept", c.turn, sizeWords(size))
		return errors.Join(err, c.log.Event(c.turn, now, short), c.tellLeft(why, 0, size-lineSize(short)))
	}
	if c.count == 0 {
		err = c.tellLeft(fmt.Sprintf("turn %d printed more than %s (max_output): only the end of the rest is kept", c.turn, sizeWords(limit)), 0, 0)
	}
	c.count++
	c.left += size
	if size > most/2 {
		var failed error
		data, failed = c.shorten(e, most/2)
		err = errors.Join(err, failed)
	}
	c.hold(heldEvent{now, data}, most)
	return err
}

// shorten returns an event whose line has at most most bytes, if that is possible: long texts are
// cut in the middle.
func (c *cappedEvents) shorten(e event.Event, most int64) (data json.RawMessage, err error) {
	for keep := most - most/8; keep > 0; keep /= 2 {
		short := e
		for _, text := range []*string{&short.Text, &short.Content, &short.Message, &short.Result, &short.Raw} {
			*text = c.middleOut(*text, int(keep))
		}
		if int64(len(short.Input)) > keep {
			short.Input = event.TruncateInput(short.Input)
		}
		if data, err = json.Marshal(short); err != nil {
			return nil, fmt.Errorf("recording an event: %w", err)
		}
		if lineSize(data) <= most {
			break
		}
	}
	return data, nil
}

// middleOut returns about the first and the last n/2 bytes of a text, and a line about the rest.
func (c *cappedEvents) middleOut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	first, last := text[:n/2], text[len(text)-n/2:]
	note := leftOutHere(int64(len(text)-len(first)-len(last)), c.config.MaxOutput)
	return strings.ToValidUTF8(first, "") + note + strings.ToValidUTF8(last, "")
}

// lineSize returns the approximate size of an event's line, with its number and time.
func lineSize(data json.RawMessage) int64 { return int64(len(data)) + 80 }

// hold keeps an event while it is part of the tail.
func (c *cappedEvents) hold(e heldEvent, most int64) {
	c.end = append(c.end, e)
	c.endSize += lineSize(e.data)
	n := 0
	for ; c.endSize > most; n++ {
		c.endSize -= lineSize(c.end[n].data)
	}
	c.end = append(c.end[:0], c.end[n:]...)
}

// close writes the number of omitted events, and the tail.
func (c *cappedEvents) close() error {
	if c.count == 0 {
		return nil
	}
	count, left := c.count-len(c.end), c.left-c.endSize
	err := c.tellLeft(fmt.Sprintf("%s of turn %d left out here, %s", plural(count, "event"), c.turn, sizeWords(left)), count, left)
	for _, e := range c.end {
		err = errors.Join(err, c.log.Event(c.turn, e.at, e.data))
	}
	c.end = nil
	return err
}

func (c *cappedEvents) tellLeft(why string, events int, bytes int64) error {
	v := record.Line{Turn: c.turn, Time: c.now(), Type: record.LeftOut, Why: why, Events: events, Bytes: bytes}
	c.tell(Notice{Kind: NoticeNote, Turn: c.turn, Text: why, Record: &journal.Record{Line: v}})
	return c.log.Add(v)
}
