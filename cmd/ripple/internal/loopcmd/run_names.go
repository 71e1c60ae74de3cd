package loopcmd

import (
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/registry"
)

// agentsByName rejects an adapter path from a file of the project: the user trusts the settings
// file, and not the current content at such a path.
func agentsByName(c *config.Config) error {
	check := func(place, key string, names ...string) error {
		if i := slices.IndexFunc(names, registry.IsPath); i >= 0 {
			return ui.UsageError("put the adapter into .ripple/adapters, or among yours in ~/.config/ripple/adapters, and write its name; or give the path with --adapter",
				"%s: %s: %s is a path, and a project's settings name an agent only by its name", ui.Harmless(place), key, ui.Harmless(names[i]))
		}
		return nil
	}
	for _, s := range []struct {
		setting string
		agents  []string
	}{{"PLATFORM_DRIVER", []string{c.Backend}}, {"FALLBACK", c.Fallback}} {
		from := c.Source(s.setting)
		if from.From == "environment" || strings.HasPrefix(from.From, "--") {
			continue
		}
		if err := check(from.From, from.Name, s.agents...); err != nil {
			return err
		}
	}
	for _, h := range c.Hats.Hats {
		if err := check(c.HatPlace(h.Key), "hat "+h.Key, h.Adapter); err != nil {
			return err
		}
	}
	return nil
}
