package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// adapterSettings are the settings of one adapter in ripple.yml.
type adapterSettings struct {
	at       string // location in the file
	disabled bool
	timeout  time.Duration // of a turn; 0: the general timeout
}

// Resolve replaces each adapter name of ripple.yml, which may be an alias, by the name that find
// returns. Errors of find are joined, each with its location.
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

// Disabled returns the adapters that auto must not choose, sorted.
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

// For returns the configuration for the chosen adapter: adapters.NAME of ripple.yml has
// precedence over .ralphrc, but not over flags and the environment.
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
