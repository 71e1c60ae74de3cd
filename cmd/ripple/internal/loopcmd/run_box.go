package loopcmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
)

// checkBox refuses flags about a box where there is none.
func checkBox(c *config.Config) error {
	for _, s := range config.Settings() {
		if from := c.Source(s.Name).From; !c.Box && s.Section == "box" && s.Name != "BOX" && strings.HasPrefix(from, "--") {
			return ui.UsageError("add --box", "%s needs --box", from)
		}
	}
	return nil
}

// openBox opens the box in which the agents of a loop and its checks run.
func openBox(a *app, o loop.Options, first *loopAgent) (*box.Box, error) {
	c := o.Config
	p := box.Policy{}
	var err error
	if p.Home, err = box.Home(); err != nil {
		return nil, ui.FailWith(ui.ExitMissing, err, "")
	}
	project, err := filepath.EvalSymlinks(o.Project)
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	tree, foreign := box.Tree(project, p.Home)
	a.ReportTree(tree, foreign)
	p.Dir = tree
	for _, s := range []struct {
		name               string
		write, read, hosts []string
	}{
		{name: "BOX_WRITE", write: c.BoxWrite},
		{name: "BOX_READ", read: c.BoxRead},
		{name: "BOX_NET", hosts: c.BoxNet},
	} {
		if err := p.Allow(o.Project, s.write, s.read, s.hosts); err != nil {
			return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s: %s: %w", c.Source(s.name).From, c.Source(s.name).Name, err), "")
		}
	}
	agents := []*loopAgent{first}
	for _, m := range o.Fallback {
		agents = append(agents, m.Agent.(*loopAgent))
	}
	for _, m := range o.HatAgents {
		agents = append(agents, m.Agent.(*loopAgent))
	}
	for _, g := range agents {
		if err := checkState(g.entry, p.Home); err != nil {
			return nil, err
		}
		if err := p.Allow("", nil, nil, g.entry.Adapter.Agent.Hosts); err != nil {
			return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s: agent.hosts: %w", g.entry.Name, err), "")
		}
	}
	env := append(slices.Clip(c.BoxEnv), scenario.FileVariable)
	if path := a.Getenv(scenario.FileVariable); filepath.IsAbs(path) { // another one is in the project
		if err := p.Allow("", nil, []string{path}, nil); err != nil {
			return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s: %w", scenario.FileVariable, err), "")
		}
	}
	return ui.OpenBox(box.Options{Policy: p, Env: env})
}
