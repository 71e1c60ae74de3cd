package session

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"ripple/schema"
)

// A reply is one of a few constants: nothing that a program prints comes back
// to it as if it had been typed.
func TestQueriesAreAnsweredWithConstants(t *testing.T) {
	tests := []struct {
		name    string
		replies []schema.TTYReply
		seen    string
		want    string
	}{
		{"none is listed", nil, "\x1b[c\x1b[5n\x1b[6n", ""},
		{"the device", []schema.TTYReply{schema.ReplyDA1}, "a\x1b[cb\x1b[0cc", "\x1b[?62;22c\x1b[?62;22c"},
		{"the status and the cursor", []schema.TTYReply{schema.ReplyDSR}, "\x1b[5n\x1b[6n", "\x1b[0n\x1b[1;1R"},
		{"the cursor stands elsewhere", []schema.TTYReply{schema.ReplyDSR}, "\x1b[7;9H\x1b[6n", "\x1b[1;1R"},
		{"one that is not listed", []schema.TTYReply{schema.ReplyDSR}, "\x1b[c", ""},
		{
			"those that would give the program's own text back",
			[]schema.TTYReply{schema.ReplyDA1, schema.ReplyDSR},
			"\x1b]0;rm -rf .\a\x1b[21t\x1b]2;?\a\x1b]11;?\a\x1bP$qm\x1b\\\x1bP+q544e\x1b\\\x1b]52;c;?\a\x05\x1b[>q\x1b[18t", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := newQueries(tt.replies)
			assert.Equal(t, tt.want, q.replies([]byte(tt.seen)))
		})
	}
}
