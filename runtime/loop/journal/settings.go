package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/record"
)

// ErrNoRun is returned if no run is recorded.
var ErrNoRun = errors.New("no run is recorded")

// Began describes the start of the current or last run.
type Began struct {
	Time     time.Time
	Settings *record.Settings // the latest ones; nil: the record has none
}

// ReadBegan reads the Began of a project; it changes nothing. It returns ErrNoRun if there is
// none.
func ReadBegan(project string) (b Began, err error) {
	err = peek(project, func(l *Log) error {
		b, err = l.Began()
		return err
	})
	return b, err
}

// PeekRun reads what the last run of a project left; it changes nothing. It returns ErrNoRun if there is
// none.
func PeekRun(project string) (found Left, err error) {
	err = peek(project, func(l *Log) error {
		if found, err = l.Recover(); err == nil && found.State == nil {
			err = ErrNoRun
		}
		return err
	})
	return found, err
}

// peek calls f with the log of a project, which is open for reading only. It returns ErrNoRun if there is
// no log.
func peek(project string, f func(*Log) error) error {
	file, err := layout.Files(project).Open(layout.EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoRun
	}
	if err != nil {
		return err
	}
	defer file.Close() // no data was written
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return f(&Log{lines: &lines{f: file, size: info.Size()}})
}

// Began returns the start of the log's last run.
func (l *Log) Began() (Began, error) { return findBegan(l.f, l.size) }

func findBegan(f io.ReaderAt, size int64) (b Began, err error) {
	found := false
	err = eachLineBackwards(f, size, func(data []byte, _ int64) bool {
		if !bytes.Contains(data, []byte(`"type":"run_started"`)) && !bytes.Contains(data, []byte(`"settings":`)) && !bytes.Contains(data, []byte(`"type":"written_back"`)) {
			return false // skip these quickly, since there may be very many
		}
		var v record.Line
		if json.Unmarshal(data, &v) != nil {
			return false
		}
		first := v.State != nil && (v.Type == record.RunStarted || v.Type == record.WrittenBack)
		if !first && v.Type != record.SettingsChanged {
			return false
		}
		if b.Settings == nil {
			b.Settings = v.Settings
		}
		b.Time, found = v.Time, first
		return first
	})
	if err == nil && !found {
		err = ErrNoRun
	}
	return b, err
}
