package balance

import (
	"sort"
	"strings"

	"example.org/ripple/schema"
)

type kind int

const (
	openBracket kind = iota
	closeBracket
	stringDelim
	lineComment
	blockComment
	charLiteral
	datumComment
)

// token is one declared piece of syntax.
type token struct {
	kind kind
	text string
	end  string // what closes it, where something does
}

// tokens are the declared pieces by their first byte, longest first, so that
// `"""` is seen before `"` and `--[[` before `--`.
type tokens [256][]token

func newTokens(cfg schema.BalancedParens) (t tokens) {
	for i, text := range cfg.Open {
		if i < len(cfg.Close) { // the loader refuses lists of unequal length
			t.add(token{openBracket, text, cfg.Close[i]})
			t.add(token{kind: closeBracket, text: cfg.Close[i]})
		}
	}
	for _, text := range cfg.StringDelims {
		t.add(token{stringDelim, text, text})
	}
	if len(cfg.BlockComment) == 2 {
		t.add(token{blockComment, cfg.BlockComment[0], cfg.BlockComment[1]})
	}
	t.add(token{kind: lineComment, text: cfg.LineComment})
	t.add(token{kind: charLiteral, text: cfg.CharLiteralPrefix})
	t.add(token{kind: datumComment, text: cfg.DatumCommentPrefix})
	for i := range t {
		sort.SliceStable(t[i], func(a, b int) bool { return len(t[i][a].text) > len(t[i][b].text) })
	}
	return t
}

func (t *tokens) add(tok token) {
	if tok.text != "" {
		t[tok.text[0]] = append(t[tok.text[0]], tok)
	}
}

// match is the longest token at the start of text, which is not empty.
func (t *tokens) match(text string) (token, bool) {
	for _, tok := range t[text[0]] {
		if strings.HasPrefix(text, tok.text) {
			return tok, true
		}
	}
	return token{}, false
}
