package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
)

// outcome is the result for one program.
type outcome struct {
	Build         string // of the measured ripple
	Name, Command string
	Language      string
	Prompts       string // kind of prompt detection
	Level         int    // -1: nothing was learned
	Passed, NA    string
	Failed, Why   string
	Took          time.Duration
	Load          float64 // load of the machine at the start
}

// results stores the outcomes, so that an interrupted run can be continued.
type results struct {
	mu          sync.Mutex // guards the file
	file, build string
	known       map[string]outcome // of this build, by name
}

// openResults reads the outcomes for a binary; a missing file is empty.
func openResults(file, binary string) (*results, error) {
	r := &results{file: file, known: map[string]outcome{}}
	var err error
	if r.build, err = buildOf(binary); err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err == nil && o.Build == r.build { // the last line may be incomplete
			r.known[o.Name] = o
		}
	}
	return r, nil
}

// buildOf returns an ID that differs between builds.
func buildOf(binary string) (string, error) {
	f, err := os.Open(binary)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), nil
}

// keep adds an outcome; several runs may append to one file.
func (r *results) keep(o outcome) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Build = r.build
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
