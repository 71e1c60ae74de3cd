package config

import "example.org/ripple/runtime/internal/permit"

// Rule describes uses of a tool that the settings ALLOW or DENY permit or refuse: TOOL or TOOL(INPUT).
type Rule = permit.Rule

// rules reads a list of rules, one per line.
func rules(field func(*Config) *[]Rule) func(*Config, string) error {
	return func(c *Config, v string) error {
		*field(c) = nil
		for _, line := range words(v, "\n") {
			r, err := permit.Parse(line)
			if err != nil {
				return err
			}
			*field(c) = append(*field(c), r)
		}
		return nil
	}
}
