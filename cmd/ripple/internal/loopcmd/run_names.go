package loopcmd

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/registry"
)

// agentsByName rejects an adapter path from a file of the project: the user trusts the settings
// file, and not the current content at such a path.
func agentsByName(c *config.Config) error {
	check := func(place, key, shown string, names ...string) error {
		if i := slices.IndexFunc(names, registry.IsPath); i >= 0 {
			return ui.UsageError("put the adapter into .ripple/adapters, or among yours in ~/.config/ripple/adapters, and write its name; or give the path with --adapter",
				"%s: %s: %s is a path, and a project's settings name an agent only by its name", ui.Harmless(place), key, ui.Harmless(cmp.Or(shown, names[i])))
		}
		return nil
	}
	for _, s := range []struct {
		setting string
		agents  []string
	}{{agentSetting, []string{c.Backend}}, {"FALLBACK", c.Fallback}} {
		from := c.Source(s.setting)
		if from.From == "environment" || strings.HasPrefix(from.From, "--") {
			continue
		}
		shown, expanded := c.Shown(s.setting)
		if !expanded {
			shown = ""
		}
		if err := check(from.From, from.Name, shown, s.agents...); err != nil {
			return err
		}
	}
	for _, h := range c.Hats.Hats {
		if err := check(c.HatPlace(h.Key), "hat "+h.Key, "", h.Adapter); err != nil {
			return err
		}
	}
	return nil
}

// unknownAgent returns an error about the agents of a setting. If the file has variables in their names, the error shows these.
func unknownAgent(c *config.Config, setting string, err error) error {
	shown, expanded := c.Shown(setting)
	_, unknown := errors.AsType[*registry.NotFoundError](err)
	_, invalid := errors.AsType[*registry.NameError](err)
	if !expanded || !unknown && !invalid {
		return err
	}
	from := c.Source(setting)
	return ui.UsageError("to list the agents: ripple doctor", "%s: %s: no agent has the name %s with its variables", from.From, from.Name, shown)
}

// namesAdapterFile reports whether the record of a run names an adapter by its path.
func namesAdapterFile(s *record.Settings) bool {
	names := s.Agent + "," + s.Values[agentSetting].Value + "," + s.Values["FALLBACK"].Value
	return slices.ContainsFunc(strings.Split(names, ","), func(name string) bool { return registry.IsPath(strings.TrimSpace(name)) })
}

// adapterFiles returns the digests of those adapters of a run that were named by their paths, by path, or nil.
func adapterFiles(first *loopAgent, fallback []loop.Member) (sums map[string]string) {
	add := func(e *registry.Entry) {
		if e.Origin == registry.OriginFile {
			if sums == nil {
				sums = map[string]string{}
			}
			sums[e.Path] = ui.AdapterSum(e)
		}
	}
	add(first.entry)
	for _, m := range fallback {
		add(m.Agent.(*loopAgent).entry)
	}
	return sums
}

// checkAdapterFiles returns an error for an adapter file that changed since a run began, or that the run's record does not have,
// unless the flags of the command that continues the run name it: an agent or a pull may have changed it, or named it.
func checkAdapterFiles(began, now *record.Settings, flags map[string]string) error {
	named := strings.Split(flags["adapter"]+","+flags["fallback"], ",")
	for _, path := range slices.Sorted(maps.Keys(now.AdapterFiles)) {
		was, known := began.AdapterFiles[path]
		if was == now.AdapterFiles[path] || slices.Contains(named, path) {
			continue
		}
		why := "has changed since the run began"
		if !known {
			why = "is not in the run's record, so it may have changed since the run began"
		}
		return ui.UsageError("to use it as it is now, name it again with --adapter or --fallback", "the adapter %s %s", ui.Harmless(path), why)
	}
	return nil
}
