package loop

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// trim keeps the record and the logs within their limits, and notes what it removed. Failures are
// only noted.
func (r *run) trim() {
	left, err := r.log.Shrink(r.config.MaxRecord, r.now(), func(events int, bytes int64) string {
		return fmt.Sprintf("%s of older turns left out so far, %s: this file is cut when it has more than %s (max_record)", plural(events, "line"), sizeWords(bytes), sizeWords(r.config.MaxRecord))
	})
	switch {
	case err != nil:
		r.note("the record could not be shortened: " + err.Error())
	case left.Events > 0:
		r.tell(Notice{Kind: NoticeNote, Turn: r.state.Turn, Text: layout.Dir + "/" + layout.EventsFile + ": " + left.Why})
	}
	if err := r.trimLogs(); err != nil {
		r.note("old logs could not be removed: " + err.Error())
	}
}

type oldLog struct {
	name string
	size int64
	at   time.Time
}

// logRoom tells when the logs may have reached their limit. The directory is read only then: after
// thousands of turns that takes longer than many a turn.
type logRoom struct {
	written atomic.Int64 // bytes since the directory was read
	left    int64        // bytes that could be written then; 0: it was not read, or the logs were at their limit
}

// trimLogs removes the oldest logs of turns, checks and questions if they are above their limit: an
// eighth of it more than necessary, so that this is rare.
func (r *run) trimLogs() error {
	limit, files := r.config.MaxLogs, r.store.Files()
	if limit == 0 || r.logs.written.Load() < r.logs.left {
		return nil
	}
	r.logs.written.Store(0)
	var logs []oldLog
	var total, gone int64
	for _, name := range files.Names(layout.LogsDir) {
		at := path.Join(layout.LogsDir, name)
		info, err := files.Stat(at)
		if !isLog(name) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		logs = append(logs, oldLog{at, info.Size(), info.ModTime()})
		total += info.Size()
	}
	sort.Slice(logs, func(i, j int) bool { return logs[i].at.Before(logs[j].at) })
	n, most := 0, limit
	if total > limit {
		most -= limit / 8
	}
	for ; total-gone > most && n < len(logs); n++ {
		if err := files.Remove(logs[n].name); err != nil {
			return err
		}
		gone += logs[n].size
	}
	r.logs.left = limit - (total - gone)
	if n == 0 {
		return nil
	}
	why := fmt.Sprintf("the oldest %s removed, %s: %s/%s has at most %s (max_logs)", plural(n, "log"), sizeWords(gone), layout.Dir, layout.LogsDir, sizeWords(limit))
	v := record.Line{Turn: r.state.Turn, Time: r.now(), Type: record.LeftOut, Why: why, Bytes: gone}
	r.tell(Notice{Kind: NoticeNote, Turn: v.Turn, Text: why, Record: &journal.Record{Line: v}})
	return r.log.Add(v)
}

// isLog reports whether a file in the log directory is a log that a loop wrote.
func isLog(name string) bool {
	return strings.HasSuffix(name, ".log") && slices.ContainsFunc([]string{"turn_", "verify_", "question_"}, func(p string) bool { return strings.HasPrefix(name, p) })
}
