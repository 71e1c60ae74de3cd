package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// adapterSettings are those of one adapter in ripple.yml.
type adapterSettings struct {
	at       string // where they stand
	disabled bool
	timeout  time.Duration // of a turn; 0: as for all
}

// Resolve gives the adapters of ripple.yml the names that find knows them by: an
// alias becomes the adapter's own name. All errors of find come joined, each with
// its place.
func (c *Config) Resolve(find func(name string) (string, error)) error {
	var errs []error
	resolved := map[string]adapterSettings{}
	for _, name := range slices.Sorted(maps.Keys(c.adapters)) {
		a := c.adapters[name]
		own, err := find(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: adapters.%s: %w", a.at, name, err))
		}
		resolved[own] = a
	}
	c.adapters = resolved
	return errors.Join(errs...)
}

// Disabled are the adapters that auto may not choose, sorted.
func (c *Config) Disabled() []string {
	var list []string
	for name, a := range c.adapters {
		if a.disabled {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// For returns the configuration for the adapter that was chosen: adapters.NAME of
// ripple.yml is before .ralphrc and after flags and the environment.
func (c *Config) For(adapter string) *Config {
	const timeout = "AGENT_TIMEOUT_MINUTES"
	own := *c
	a, from := c.adapters[adapter], c.sources[timeout].From
	if a.timeout > 0 && from != "environment" && !strings.HasPrefix(from, "--") {
		own.Timeout = a.timeout
		own.sources = maps.Clone(c.sources)
		own.sources[timeout] = Source{"adapters." + adapter + ".timeout", a.timeout.String(), a.at}
	}
	return &own
}
