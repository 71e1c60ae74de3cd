package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/terminal"
)

// Whether the sender of a query waits for the reply follows from what is known about the command and the terminal.
func TestVerdictAboutQueries(t *testing.T) {
	const late = replyGrace + 1
	for _, tt := range []struct {
		name string
		j    queryJudge
		q    terminal.Query
		want terminal.QueryVerdict
	}{
		{"it may be about to read", queryJudge{running: true, knows: true}, terminal.Query{Age: replyGrace}, terminal.QueryUndecided},
		{"it reads", queryJudge{running: true, knows: true, reads: true}, terminal.Query{Age: late}, terminal.QueryWaits},
		{"it does not read", queryJudge{running: true, knows: true}, terminal.Query{Age: late}, terminal.QueryAbandoned},
		{"it prints much", queryJudge{running: true, knows: true}, terminal.Query{Since: []byte(strings.Repeat("x", longestUnread+1))}, terminal.QueryAbandoned},
		{"it has set modes and does not read yet", queryJudge{running: true, knows: true, own: true}, terminal.Query{}, terminal.QueryUndecided},
		{"it has set modes", queryJudge{running: true, knows: true, own: true}, terminal.Query{Age: late}, terminal.QueryWaits},
		{"more output follows", queryJudge{running: true, knows: true, unread: true}, terminal.Query{Age: late}, terminal.QueryWaits},
		{"it has set modes, and more output follows, maybe with the prompt", queryJudge{running: true, knows: true, own: true, unread: true, marked: true, marker: []byte("nonce")}, terminal.Query{Age: late}, terminal.QueryUndecided},
		{"nothing is known", queryJudge{running: true}, terminal.Query{Age: late}, terminal.QueryWaits},
		{"the prompt follows", queryJudge{running: true, marked: true, marker: []byte("nonce")}, terminal.Query{Since: []byte("a nonce")}, terminal.QueryAbandoned},
		{"the prompt asks", queryJudge{marked: true, marker: []byte("nonce")}, terminal.Query{Since: []byte("a nonce")}, terminal.QueryWaits},
		{"a job asks at the prompt", queryJudge{knows: true, own: true, job: true}, terminal.Query{}, terminal.QueryAbandoned},
		{"the prompt has followed", queryJudge{knows: true}, terminal.Query{Again: true}, terminal.QueryAbandoned},
		{"a job has asked before the command began", queryJudge{running: true, knows: true, reads: true, silent: true, taken: 9, begin: 9}, terminal.Query{}, terminal.QueryAbandoned},
		{"a job has asked, and text has followed", queryJudge{running: true, silent: true, taken: 9, begin: 7}, terminal.Query{Since: []byte("12")}, terminal.QueryAbandoned},
		{"the program's line editor has asked before the command began", queryJudge{running: true, knows: true, reads: true, taken: 9, begin: 9}, terminal.Query{}, terminal.QueryWaits},
		{"the command has asked", queryJudge{running: true, knows: true, reads: true, silent: true, taken: 9, begin: 5}, terminal.Query{}, terminal.QueryWaits},
		{"the next command runs", queryJudge{running: true, knows: true, reads: true, taken: 9, begin: 8}, terminal.Query{Again: true, Since: []byte("12")}, terminal.QueryAbandoned},
		{"the running command has sent it", queryJudge{running: true, knows: true, reads: true, taken: 9, begin: 7}, terminal.Query{Again: true, Since: []byte("12")}, terminal.QueryWaits},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.j.verdict(tt.q)) })
	}
}
