package place

import (
	_ "embed" // the name is data
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ripple/runtime/session"
	"ripple/schema"
)

//go:embed default_adapter.txt
var defaultAdapter string

// DefaultAdapter is the adapter of a console that is started without one.
func DefaultAdapter() string { return strings.TrimSpace(defaultAdapter) }

// Spec is what a console is started with.
type Spec struct {
	Name       string   `json:"name"`    // empty: the adapter's, with a number
	Adapter    string   `json:"adapter"` // a name or a file
	Dir        string   `json:"dir"`     // the program's directory; empty: the starter's
	Env        []string `json:"env,omitempty"`
	Args       []string `json:"args,omitempty"`
	Executable string   `json:"executable,omitempty"`
	Cols       int      `json:"cols,omitempty"` // 0: the adapter's
	Rows       int      `json:"rows,omitempty"`
	// IdleEnd ends a console in which nothing happened for so long; 0: never.
	IdleEnd time.Duration `json:"idle_end_ns,omitempty"`
	// Sandbox is the directory below which alone the program may write; empty: anywhere.
	Sandbox string `json:"sandbox,omitempty"`
}

// plainName is what consoles of an adapter are called.
func (s *Spec) plainName() string {
	base := s.Adapter[strings.LastIndexAny(s.Adapter, `/\\`)+1:]
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	if CheckName(base) != nil {
		return "console"
	}
	return base
}

// Check says what is wrong with the name and where consoles are.
//
// Errors: those of Of.
func (s Spec) Check(getenv func(string) string) error {
	name := s.Name
	if name == "" { // the host finds a free one
		name = s.plainName()
	}
	_, err := Of(getenv, name)
	return err
}

const (
	// environment tells a program, and what it starts, which console it is in.
	environment = "RIPPLE_CONSOLE"

	defaultCols, defaultRows = 120, 40
	usualCols, usualRows     = 200, 50 // of adapters that do not care
)

// Options are those that the program starts with, in a terminal of the size that the spec,
// the adapter or the usual for consoles says.
func (s Spec) Options(a *schema.Adapter) session.Options {
	o := session.Options{
		Dir: s.Dir, Env: append([]string{environment + "=" + s.Name}, s.Env...), Args: s.Args, Executable: s.Executable,
		Cols: s.Cols, Rows: s.Rows,
	}
	tty := a.Process.TTY
	if tty.Cols == usualCols && tty.Rows == usualRows {
		tty.Cols, tty.Rows = defaultCols, defaultRows
	}
	if o.Cols == 0 {
		o.Cols = tty.Cols
	}
	if o.Rows == 0 {
		o.Rows = tty.Rows
	}
	return o
}

// Order is what a new host is told.
type Order struct {
	Spec
	From string `json:"from"` // the starter's directory: where a project's adapters are found
}

// Order is that of a console, for a host that works elsewhere.
func (s Spec) Order() (o Order, err error) {
	if o.From, err = os.Getwd(); err != nil {
		return o, err
	}
	if s.Dir, err = filepath.Abs(s.Dir); err != nil {
		return o, err
	}
	if s.Sandbox != "" {
		if s.Sandbox, err = filepath.Abs(s.Sandbox); err != nil {
			return o, err
		}
	}
	if strings.ContainsRune(s.Adapter, os.PathSeparator) {
		if s.Adapter, err = filepath.Abs(s.Adapter); err != nil {
			return o, err
		}
	}
	o.Spec = s
	return o, nil
}

// Written is what the host of such a console is told, which ReadOrder reads.
//
// Errors: those of Check; a directory of ours that cannot be told.
func (s Spec) Written(getenv func(string) string) ([]byte, error) {
	if err := s.Check(getenv); err != nil {
		return nil, err
	}
	order, err := s.Order()
	if err != nil {
		return nil, err
	}
	return json.Marshal(order)
}

// ReadOrder reads what a host is told.
func ReadOrder(r io.Reader) (o Order, err error) {
	if err := json.NewDecoder(r).Decode(&o); err != nil {
		return o, fmt.Errorf("a console host is started by ripple itself, not by hand: %w", err)
	}
	return o, nil
}
