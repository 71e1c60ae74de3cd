package place

import (
	"cmp"
	_ "embed" // embeds the name
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

//go:embed default_adapter.txt
var defaultAdapterText string

// DefaultAdapter returns the name of the adapter used if none is given.
func DefaultAdapter() string { return strings.TrimSpace(defaultAdapterText) }

// Spec describes a console to start.
type Spec struct {
	Name       string   `json:"name"`    // empty: the adapter's name and a number
	Adapter    string   `json:"adapter"` // a name or a file
	Dir        string   `json:"dir"`     // the program's directory; empty: that of the starting process
	Env        []string `json:"env,omitempty"`
	Args       []string `json:"args,omitempty"`
	Executable string   `json:"executable,omitempty"`
	Cols       int      `json:"cols,omitempty"` // 0: the adapter's size; else as CheckSize demands
	Rows       int      `json:"rows,omitempty"`
	// IdleEnd ends a console after this time without use; 0: never.
	IdleEnd time.Duration `json:"idle_end_ns,omitempty"`
	// Sandbox is the only directory in which the program may write; empty: anywhere.
	Sandbox string `json:"sandbox,omitempty"`
	// Sealed is the adapter itself, as written by schema.Adapter.Encode; empty: the host looks up
	// Adapter, ignoring a project's adapters, and the user's if Origin is "embedded".
	Sealed []byte `json:"sealed,omitempty"`
	Origin string `json:"origin,omitempty"` // origin of the adapter: see registry.Entry.Source
}

// plainName returns the base of the generated names of an adapter's consoles.
func (s *Spec) plainName() string {
	base := s.Adapter[strings.LastIndexAny(s.Adapter, `/\\`)+1:]
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	if CheckName(base) != nil {
		return "console"
	}
	return base
}

// Check returns an error if the name or the size is invalid or the directory of consoles is unusable.
//
// Errors: those of CheckSize and Of.
func (s Spec) Check(getenv func(string) string) error {
	if err := CheckSize(cmp.Or(s.Cols, defaultCols), cmp.Or(s.Rows, defaultRows)); err != nil {
		return err
	}
	name := s.Name
	if name == "" { // the host picks a free one
		name = s.plainName()
	}
	_, err := Of(getenv, name)
	return err
}

const (
	// Environment is the environment variable that names the console to its program and
	// descendants.
	Environment = "RIPPLE_CONSOLE"

	defaultCols, defaultRows = 120, 40
	usualCols, usualRows     = 200, 50 // for adapters that do not set a size
)

// Order is the message that assigns a console to a new host.
type Order struct {
	Spec
	From string `json:"from"` // directory of the starting process, in whose project nothing counts as the user's
}

// Options returns the session options of the program, with the terminal size set by the spec, the
// adapter, or the default for consoles.
func (order Order) Options(a *schema.Adapter) session.Options {
	o := session.Options{
		From: order.From, Dir: order.Dir, Env: append([]string{Environment + "=" + order.Name}, order.Env...), Args: order.Args, Executable: order.Executable,
		Cols: order.Cols, Rows: order.Rows,
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

// Order returns the order for a console, for a host that runs in another directory.
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

// EncodeOrder returns the encoded order, which ReadOrder reads.
//
// Errors: those of Check; an error if the working directory is unknown.
func (s Spec) EncodeOrder(getenv func(string) string) ([]byte, error) {
	if err := s.Check(getenv); err != nil {
		return nil, err
	}
	order, err := s.Order()
	if err != nil {
		return nil, err
	}
	return json.Marshal(order)
}

// ReadOrder reads an order.
func ReadOrder(r io.Reader) (o Order, err error) {
	if err := json.NewDecoder(r).Decode(&o); err != nil {
		return o, fmt.Errorf("a console host is started by ripple itself, not by hand: %w", err)
	}
	return o, nil
}
