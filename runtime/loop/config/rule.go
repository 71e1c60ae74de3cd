package config

import "example.org/ripple/runtime/internal/permit"

// rules reads a list of rules, one per line.
func rules(field func(*Config) *[]permit.Rule) func(*Config, string) error {
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
