package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, v string) error { *field(c) = v; return nil }
}

func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error { *field(c) = splitTools(v); return nil }
}

func lines(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, v string) error { *field(c) = words(v, "\n"); return nil }
}

// words splits text, trims each part, and drops empty ones.
func words(v, separator string) []string {
	var parts []string
	for part := range strings.SplitSeq(v, separator) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// splitTools splits at commas outside parentheses: "Bash(git a,b),Read".
func splitTools(v string) []string {
	depth := 0
	return words(strings.Map(func(r rune) rune {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			return '\n'
		}
		return r
	}, v), "\n")
}

// checked reads a list of words that have no effect.
func checked(of ...string) func(*Config, string) error {
	return func(_ *Config, v string) error {
		for _, word := range words(strings.ReplaceAll(v, " ", ","), ",") {
			if !slices.ContainsFunc(of, func(o string) bool { return strings.EqualFold(o, word) }) {
				return fmt.Errorf("%q is not one of %s", word, strings.Join(of, ", "))
			}
		}
		return nil
	}
}

func choice(field func(*Config) *string, of ...string) func(*Config, string) error {
	return func(c *Config, v string) error {
		for _, o := range of {
			if strings.EqualFold(v, o) {
				*field(c) = o
				return nil
			}
		}
		return fmt.Errorf("%q is not one of %s", v, strings.Join(of, ", "))
	}
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, v string) error {
		switch strings.ToLower(v) {
		case "true", "yes", "on", "1":
			*field(c) = true
		case "false", "no", "off", "0":
			*field(c) = false
		default:
			return fmt.Errorf("%q is neither true nor false", v)
		}
		return nil
	}
}

// number reads decimal digits: 08 is eight.
func number(least, most int, field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most {
			return fmt.Errorf("%q is not a whole number from %d to %d", v, least, most)
		}
		*field(c) = n
		return nil
	}
}

const mostCost = 1_000_000_000 // US dollars

func cost(c *Config, v string) error {
	f, err := strconv.ParseFloat(strings.TrimPrefix(v, "$"), 64)
	if err != nil || !(f >= 0 && f <= mostCost) {
		return fmt.Errorf("%q is not an amount of US dollars from 0 to %d", v, mostCost)
	}
	c.MaxCost = f
	return nil
}

// tokens reads a number with an optional suffix k or M.
func tokens(c *Config, v string) error {
	n, ok := withUnit(v, map[string]float64{"k": 1e3, "m": 1e6})
	if !ok {
		return fmt.Errorf("%q is not a number of tokens; write 500k, 2M or 1500000", v)
	}
	c.MaxTokens = n
	return nil
}

// leastSize is the smallest size limit of a stored file: less would not be useful.
const leastSize = 4 << 10

// size reads a number of bytes with an optional suffix k, M or G, or 0.
func size(field func(*Config) *int64) func(*Config, string) error {
	return func(c *Config, v string) error {
		n, ok := withUnit(strings.TrimSuffix(strings.ToLower(v), "b"), map[string]float64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30})
		if !ok || n > 0 && n < leastSize {
			return fmt.Errorf("%q is not a size; write 500k, 32M or 2G (at least 4k), or 0 for no limit", v)
		}
		*field(c) = n
		return nil
	}
}

// withUnit reads a number with an optional unit suffix.
func withUnit(v string, units map[string]float64) (int64, bool) {
	digits, unit := v, 1.0
	for suffix, times := range units {
		if d, has := strings.CutSuffix(strings.ToLower(v), suffix); has {
			digits, unit = d, times
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= unit
	return int64(n), err == nil && n >= 0 && n <= 1e15 && n == math.Trunc(n)
}

const longest = 10 * 365 * 24 * time.Hour

// ParseDuration is time.ParseDuration with days: 1d12h.
func ParseDuration(v string) (time.Duration, error) {
	n, rest, _ := strings.Cut(v, "d")
	if days, err := strconv.Atoi(n); err == nil && n != v && days >= 0 && days <= int(longest/(24*time.Hour)) {
		v = strconv.Itoa(24*days) + "h" + rest
	}
	return time.ParseDuration(v)
}

// span reads a duration: Go's syntax (90s, 1h30m), with days, or a number of units.
func span(unit time.Duration, zero bool, field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, v string) error {
		d, err := ParseDuration(v)
		if n, numErr := strconv.ParseFloat(v, 64); numErr == nil && n >= 0 && n <= float64(longest/unit) {
			d, err = time.Duration(n*float64(unit)), nil
		}
		if err != nil || d < 0 || d == 0 && !zero || d > longest {
			return fmt.Errorf("%q is not a duration; write 90s, 15m, 2h or 1d, or a number of %ss", v, unitName[unit])
		}
		*field(c) = d
		return nil
	}
}

var unitName = map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour"}
