package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestDurationsMayHaveDays(t *testing.T) {
	for text, want := range map[string]time.Duration{"1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "90": 90 * time.Minute, "2h": 2 * time.Hour} {
		var c Config
		assert.NoError(t, span(time.Minute, true, func(c *Config) *time.Duration { return &c.MaxRuntime })(&c, text), text)
		assert.Equal(t, want, c.MaxRuntime, text)
	}
	for _, text := range []string{"d", "-1d", "1dd", "99999999d", "1 d", "8 hours"} {
		var c Config
		assert.Error(t, span(time.Minute, true, func(c *Config) *time.Duration { return &c.MaxRuntime })(&c, text), text)
	}
}
