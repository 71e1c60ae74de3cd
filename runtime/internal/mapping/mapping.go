// Package mapping converts one line of an agent's output into events with the jq program
// of the agent's adapter.
//
// New compiles a Program and Line maps a line. A Program is immutable and safe for
// concurrent use. A line that is not JSON, or for which the program returns nothing,
// becomes an Unknown event that contains the line, so nothing is lost. If the program
// takes too long, returns too much or fails, or the interpreter panics, the error quotes the
// beginning of the line; that line becomes an Unknown event too, and the next line is mapped
// normally.
package mapping

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/itchyny/gojq"

	"example.org/ripple/internal/jsonsize"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/schema"
	"example.org/ripple/schema/validate"
)

const (
	// lineLimit is how long a program may take for one line.
	lineLimit = 2 * time.Second
	// maxEvents is how many events one line may yield.
	maxEvents = 10_000
)

// Program maps the output of one adapter's agent.
type Program struct {
	code  *gojq.Code
	key   string // of the adapter
	tools map[string]string
	limit time.Duration
}

// New compiles the program of an adapter. It fails only for an adapter that did
// not come through the loader.
func New(a *schema.Agent) (*Program, error) {
	return compile(a, "agent.output.events", a.Output.Events)
}

// NewACP compiles the program for what an agent adds to the Agent Client Protocol.
func NewACP(a *schema.Agent) (*Program, error) {
	text := a.ACP.Events
	if text == "" {
		text = "empty"
	}
	return compile(a, "agent.acp.events", text)
}

func compile(a *schema.Agent, key, text string) (*Program, error) {
	code, err := validate.Program(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return &Program{code: code, key: key, tools: a.Tools.Canonical, limit: lineLimit}, nil
}

// LineError is a line that the program could not map.
type LineError struct {
	Key  string // the program's, in the adapter
	Line string // its beginning
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s fails on a line: %v; the line begins %.120q", e.Key, e.Err, e.Line)
}

func (e *LineError) Unwrap() error { return e.Err }

// Line appends the events of one line, or of a whole document, to out. Even with
// an error, a *LineError, the line is among them.
func (p *Program) Line(line []byte, out []event.Event) ([]event.Event, error) {
	out, known, err := p.Known(line, out)
	if !known {
		out = append(out, unknown(line))
	}
	return out, err
}

// Known is Line for a program that need not know each line: it says whether it
// does, and appends nothing where it does not.
func (p *Program) Known(line []byte, out []event.Event) (events []event.Event, known bool, err error) {
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return out, false, nil
	}
	before := len(out)
	if caught := fault.Catch("converting a line of the agent's output with "+p.key, line, func() { out, err = p.run(v, out) }); caught != nil {
		err = caught
	}
	switch {
	case err != nil:
		return out[:before], false, &LineError{Key: p.key, Line: string(line[:min(len(line), 200)]), Err: err}
	case len(out) == before:
		return out, false, nil
	}
	return withoutIgnored(line, out, before), true, nil
}

func unknown(line []byte) event.Event {
	return event.Event{Type: event.Unknown, Raw: string(line)}
}

func (p *Program) run(v any, out []event.Event) ([]event.Event, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	iter := p.code.RunWithContext(ctx, v)
	size := 0
	for n := 0; ; n++ {
		got, more := iter.Next()
		if !more {
			return out, nil
		}
		if err, failed := got.(error); failed {
			if halt, is := errors.AsType[*gojq.HaltError](err); is && halt.Value() == nil {
				return out, nil
			}
			if ctx.Err() != nil && !errors.Is(err, jsonsize.TooLargeError{}) {
				return out, fmt.Errorf("it took longer than %s", p.limit)
			}
			return out, harmless(err)
		}
		if n >= maxEvents {
			return out, fmt.Errorf("it yields more than %d events", maxEvents)
		}
		if size += jsonsize.Of(got, jsonsize.Most-size); size > jsonsize.Most {
			return out, fmt.Errorf("it yields %w", jsonsize.TooLargeError{})
		}
		e, err := p.event(got)
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
}

// harmless is the error of a program, which may have a value of any size for its text.
func harmless(err error) error {
	e, is := errors.AsType[gojq.ValueError](err)
	if is && jsonsize.Of(e.Value(), jsonsize.Most) > jsonsize.Most {
		return fmt.Errorf("it fails with %w", jsonsize.TooLargeError{})
	}
	return err
}

// withoutIgnored drops what says only that the line is known.
func withoutIgnored(line []byte, out []event.Event, from int) []event.Event {
	kept := out[:from]
	for _, e := range out[from:] {
		if e.Type == event.Unknown {
			e = unknown(line) // the program knows the line and not a part of it
		}
		if e.Type != event.Ignored {
			kept = append(kept, e)
		}
	}
	return kept
}
