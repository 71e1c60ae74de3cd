package ui

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/runtime/contract"
)

// progress shows the running tests and their durations on one line of a terminal, which it
// rewrites. Without a terminal it prints nothing: the report contains everything.
type progress struct {
	rewrite func(text string) // nil: not a terminal
	columns func() int
	started time.Time
	quit    chan struct{}
	ended   sync.WaitGroup

	mu      sync.Mutex
	order   []string // running adapters
	current map[string]contract.Progress
	failed  int
}

// NewProgress starts the line if standard error is a terminal.
func (a *App) NewProgress() *progress {
	p := &progress{started: time.Now(), quit: make(chan struct{}), current: map[string]contract.Progress{}}
	if !a.ErrTerminal {
		return p
	}
	p.rewrite, p.columns = a.Rewrite, a.Columns
	p.ended.Add(1)
	go p.tick()
	return p
}

// tick updates the durations on the line.
func (p *progress) tick() {
	defer p.ended.Done()
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		case <-p.quit:
			return
		}
	}
}

// Update records the progress of an adapter.
func (p *progress) Update(adapter string, t contract.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.current[adapter]; !known {
		p.order = append(p.order, adapter)
	}
	p.current[adapter] = t
	if t.Result != nil && (t.Result.Status == contract.Failed || t.Result.Status == contract.Errored) {
		p.failed++
	}
	if t.Result == nil {
		p.draw()
	}
}

// Done removes an adapter from the line, and calls print while the line is erased.
func (p *progress) Done(adapter string, print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.current, adapter)
	p.order = slices.DeleteFunc(p.order, func(n string) bool { return n == adapter })
	p.clear()
	print()
}

func (p *progress) draw() {
	if p.rewrite == nil {
		return
	}
	var parts []string
	for _, name := range p.order {
		t := p.current[name]
		parts = append(parts, fmt.Sprintf("%s %d/%d %s", name, t.Number, t.Total, t.Name))
	}
	state := "  " + time.Since(p.started).Round(time.Second).String()
	if p.failed > 0 {
		state += fmt.Sprintf(", %d failed", p.failed)
	}
	names := ansi.Truncate(strings.Join(parts, " · "), max(0, p.columns()-len(state)), "…")
	p.rewrite(ansi.Truncate(names+state, p.columns(), ""))
}

func (p *progress) clear() {
	if p.rewrite != nil {
		p.rewrite("")
	}
}

// Stop erases the line.
func (p *progress) Stop() {
	if p.rewrite == nil {
		return
	}
	close(p.quit)
	p.ended.Wait()
	p.clear()
}
