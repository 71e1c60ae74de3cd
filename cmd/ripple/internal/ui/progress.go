package ui

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/runtime/contract"
)

// progress shows, on one line of a terminal that it rewrites, which tests run
// and since when. Elsewhere it says nothing: the report says it all.
type progress struct {
	w       io.Writer // nil: nobody looks
	columns func() int
	started time.Time
	quit    chan struct{}
	ended   sync.WaitGroup

	mu      sync.Mutex
	order   []string // adapters that run now
	current map[string]contract.Progress
	failed  int
}

// NewProgress begins the line, where standard error is a terminal.
func (a *App) NewProgress() *progress {
	p := &progress{started: time.Now(), quit: make(chan struct{}), current: map[string]contract.Progress{}}
	if !a.ErrTerminal {
		return p
	}
	p.w, p.columns = a.Err, a.Columns
	p.ended.Add(1)
	go p.tick()
	return p
}

// tick keeps the clock on the line going.
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

// Update takes in what an adapter is at.
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

// Done takes an adapter off the line, and prints what is to be printed about it
// while the line is away.
func (p *progress) Done(adapter string, print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.current, adapter)
	p.order = slices.DeleteFunc(p.order, func(n string) bool { return n == adapter })
	p.clear()
	print()
}

func (p *progress) draw() {
	if p.w == nil {
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
	fmt.Fprintf(p.w, "\r\x1b[K%s", ansi.Truncate(names+state, p.columns(), ""))
}

func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// Stop ends the line.
func (p *progress) Stop() {
	if p.w == nil {
		return
	}
	close(p.quit)
	p.ended.Wait()
	p.clear()
}
