package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tokenizer is the one package that recognises escape sequences.
const tokenizer = "runtime/internal/vt/"

// senders are the files, or a directory of them, that write escape sequences, and what for. They may
// have ESC in their texts, but compare or search for nothing with it.
var senders = map[string]string{
	"cmd/ripple/":                         "colours and lines that are drawn again, for people",
	"runtime/console/attachment.go":       "what ends a sequence that broke off on a person's terminal",
	"runtime/console/keys.go":             "what keys send",
	"runtime/internal/keys/keys.go":       "the two ends of a paste, as a terminal sends them",
	"runtime/contract/derived_forgery.go": "forged markers",
	"runtime/contract/text.go":            "colours of a report",
	"runtime/internal/render/colour.go":   "colours of an overwritten line",
	"runtime/session/payload.go":          "the bracketed paste of a command",
	"runtime/terminal/answers.go":         "answers to queries",
	"runtime/tui/enter.go":                "the bracketed paste of a prompt",
	"schema/formats.go":                   "an example in a message",
	"schema/lint_sections.go":             "what an adapter's author means by a key's name",
}

// recognisers are the few places outside of the tokenizer that look for ESC.
var recognisers = map[string]string{
	"runtime/internal/keys/keys.go": "what a person's terminal sends: input, whose grammar is another",
	"runtime/session/payload.go":    "the end of a paste in the command that is pasted, which would end it early",
	"runtime/terminal/answers.go":   "no ESC, nothing to do: whether there is work for the tokenizer",
	"runtime/terminal/ring.go":      "where a ring that lost its beginning makes sense again",
	"schema/formats.go":             "a marker as an adapter declares it, which no program has printed",
}

// judges look at the product from outside, and so have eyes of their own.
var judges = []string{"conformance/bench/", "cmd/ripple/internal/screentest/"}

// Escape sequences are recognised in one place, so that there is one answer to
// where they end.
func TestOnlyTheTokenizerRecognisesSequences(t *testing.T) {
	sends, looks := map[string]bool{}, map[string]bool{}
	for _, file := range sources(t) {
		outside := slices.ContainsFunc(judges, func(dir string) bool { return strings.HasPrefix(file, dir) })
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, tokenizer) || outside {
			continue
		}
		eachESC(t, file, func(line int, text string, recognises bool) {
			allowed, seen, what := senders, sends, "has"
			if recognises {
				allowed, seen, what = recognisers, looks, "looks for"
			}
			place := file
			if strings.HasPrefix(file, "cmd/ripple/") {
				place = "cmd/ripple/"
			}
			seen[place] = true
			_, ok := allowed[place]
			assert.Truef(t, ok, "%s:%d %s ESC: %s. What recognises sequences takes tokens of %s", file, line, what, text, strings.TrimSuffix(tokenizer, "/"))
		})
	}
	for file := range senders {
		assert.Truef(t, sends[file], "%s sends no sequence any more: take it off the list", file)
	}
	for file := range recognisers {
		assert.Truef(t, looks[file], "%s looks for no ESC any more: take it off the list", file)
	}
}

// escape is ESC in a text, or in the text of a regular expression.
var escape = regexp.MustCompile("\x1b" + `|\\x1[bB]|\\x\{1[bB]\}|\\033|\\e\b`)

// searching are the packages whose functions find a text that they are given.
var searching = []string{"bytes", "strings", "regexp", "regexp2", "lazyregexp", "slices"}

// eachESC calls f with every literal of a file that has ESC in it, and whether
// it is what something is compared with or searched for.
func eachESC(t *testing.T, file string, f func(line int, text string, recognises bool)) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var path []ast.Node
	ast.Inspect(syntax, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if lit, ok := n.(*ast.BasicLit); ok && hasESC(lit) {
			f(fset.Position(lit.Pos()).Line, lit.Value, searchedFor(path))
		}
		return true
	})
}

func hasESC(lit *ast.BasicLit) bool {
	switch lit.Kind {
	case token.STRING:
		text, err := strconv.Unquote(lit.Value)
		return err == nil && escape.MatchString(text)
	case token.CHAR:
		return lit.Value == `'\x1b'` || lit.Value == `'\033'` || lit.Value == `'\u001b'`
	case token.INT:
		return strings.EqualFold(lit.Value, "0x1b") || lit.Value == "033" || lit.Value == "0o33"
	}
	return false
}

// searchedFor says that the literal at the end of path is compared, or an
// argument of what searches. A single ESC that is no string is so for sure: what
// is sent is a string.
func searchedFor(path []ast.Node) bool {
	if path[len(path)-1].(*ast.BasicLit).Kind != token.STRING {
		return true
	}
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				return true
			}
		case *ast.CaseClause:
			return slices.ContainsFunc(n.List, func(e ast.Expr) bool { return e == path[i+1] })
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(searching, x.Name) {
					return true
				}
			}
		case ast.Stmt, ast.Decl:
			return false
		}
	}
	return false
}
