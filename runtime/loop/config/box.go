package config

import (
	"fmt"
	"strings"

	"example.org/ripple/runtime/box"
)

// boxHosts reads the hosts of a box, a line each.
func boxHosts(c *Config, v string) error {
	c.BoxNet = words(v, "\n")
	return new(box.Policy).Allow("", nil, nil, c.BoxNet)
}

// boxNames reads names of environment variables, a line each.
func boxNames(c *Config, v string) error {
	c.BoxEnv = words(v, "\n")
	for _, name := range c.BoxEnv {
		if strings.ContainsAny(name, "= \t\x00") {
			return fmt.Errorf("%q is not the name of an environment variable", name)
		}
	}
	return nil
}
