package hats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestValidTopics(t *testing.T) {
	for _, topic := range []string{"a", "build.done", "a_b-c:d.9", strings.Repeat("a", maxTopic)} {
		assert.True(t, valid(topic), topic)
	}
	for _, topic := range []string{"", "A", "a b", "a*", "ä", "a\n", strings.Repeat("a", maxTopic+1), "LOOP_COMPLETE"} {
		assert.False(t, valid(topic), topic)
	}
}

func TestMatches(t *testing.T) {
	tests := []struct {
		trigger, topic string
		want           bool
	}{
		{"a.b", "a.b", true},
		{"a.b", "a.c", false},
		{"a.*", "a.b", true},
		{"a.*", "a.b.c", false},
		{"a.*", "a", false},
		{"*.b", "a.b", true},
		{"*.*", "a.b", true},
		{"a.b*", "a.bcd", true},
		{"a.*d", "a.bcd", true},
		{"a.b*d", "a.bcd", true},
		{"a.b*b", "a.b", false},
		{"a*b*c", "abbc", true},
		{"a*b*c", "acb", false},
		{"*", "anything.at.all", true},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, matches(tt.trigger, tt.topic), tt)
	}
}

// The more specific trigger wins, then the order of the file.
func TestRoute(t *testing.T) {
	tests := []struct {
		triggers []string // of hats 0, 1, …
		topic    string
		want     int
	}{
		{[]string{"*", "a.*", "a.b"}, "a.b", 2},
		{[]string{"*", "a.*", "a.b"}, "a.c", 1},
		{[]string{"*", "a.*", "a.b"}, "x", 0},
		{[]string{"*.b", "a.b*"}, "a.b", 1},
		{[]string{"a.*", "*.b"}, "a.b", 0},
		{[]string{"a.b", "a.b"}, "a.b", 0},
		{[]string{"a", "b"}, "c", -1},
	}
	for _, tt := range tests {
		r := Rules{}
		for i, trigger := range tt.triggers {
			r.Hats = append(r.Hats, Hat{Key: fmt.Sprint(i), Triggers: []string{trigger}})
		}
		if to := r.Route(tt.topic); tt.want < 0 {
			assert.Nil(t, to)
		} else if assert.NotNil(t, to, tt) {
			assert.Equal(t, fmt.Sprint(tt.want), to.Key, tt)
		}
	}
}
