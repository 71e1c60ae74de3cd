package conformance

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tokenizer is the only package that recognizes escape sequences.
const tokenizer = "internal/vt/"

// senders are the files or directories that write escape sequences, with the reason. They may
// contain ESC in their strings, but neither compare nor search for it.
var senders = map[string]string{
	"cmd/ripple/":                           "colors and redrawn lines",
	"runtime/console/attachment.go":         "ends an incomplete sequence on a user's terminal",
	"runtime/console/lineeditor_fault.go":   "ends the bracketed paste of a user's terminal after a panic",
	"runtime/console/painting.go":           "a user's line, which is redrawn",
	"runtime/internal/lineedit/bindings.go": "sequences of editing keys: input",
	"runtime/internal/lineedit/editor.go":   "the delimiters of a paste, as a terminal sends them",
	"runtime/internal/keys/keys.go":         "the delimiters of a paste, as a terminal sends them",
	"runtime/internal/keys/name.go":         "sequences of keys",
	"runtime/contract/derived_forgery.go":   "forged markers",
	"runtime/contract/text.go":              "colors of a report",
	"runtime/internal/render/color.go":      "colors of a rewritten line",
	"runtime/internal/render/escape.go":     "ends a string that its program did not end",
	"runtime/session/payload.go":            "the bracketed paste of a command",
	"runtime/terminal/answers.go":           "answers to queries",
	"runtime/terminal/mask.go":              "removes the part of a random number that has been passed on",
	"runtime/internal/tui/enter.go":         "the bracketed paste of a prompt",
	"schema/formats.go":                     "an example in a message",
	"schema/lint_sections.go":               "sequences of named keys in adapters",
}

// recognizers are the few places outside the tokenizer that search for ESC.
var recognizers = map[string]string{
	"cmd/ripple/internal/ui/screen.go":    "ripple's own messages: only colors pass, any other ESC is removed",
	"runtime/console/lineeditor.go":       "the delimiters of a paste among a user's keys: input",
	"runtime/internal/lineedit/editor.go": "keys that edit a line: input, divided by runtime/internal/keys",
	"runtime/internal/keys/keys.go":       "output of a user's terminal: input, which has another grammar",
	"runtime/loop/record/plan.go":         "colors that an agent has copied into a plan: a user's file, not printed by a program",
	"runtime/session/payload.go":          "the end delimiter within a pasted command, which would end the paste early",
	"runtime/terminal/answers.go":         "whether there is work for the tokenizer",
	"runtime/terminal/ring.go":            "where a ring that lost its beginning can be parsed again",
	"schema/formats.go":                   "a marker declared by an adapter, not printed by a program",
}

// judges test the product from outside, and therefore have their own parsers.
var judges = []string{"internal/testkit/"}

// Escape sequences are recognized in one place, so that their ends are defined in one place.
func TestOnlyTheTokenizerRecognizesSequences(t *testing.T) {
	sends, looks := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		file := s.path
		outside := slices.ContainsFunc(judges, func(dir string) bool { return strings.HasPrefix(file, dir) })
		if strings.HasPrefix(file, tokenizer) || outside {
			continue
		}
		eachESC(s.syntax, func(line int, text string, recognizes bool) {
			allowed, seen, what := senders, sends, "has"
			if recognizes {
				allowed, seen, what = recognizers, looks, "looks for"
			}
			place := file
			if strings.HasPrefix(file, "cmd/ripple/") && !recognizes {
				place = "cmd/ripple/"
			}
			seen[place] = true
			_, ok := allowed[place]
			assert.Truef(t, ok, "%s:%d %s ESC: %s. Use the tokens of %s to recognize sequences", file, line, what, text, strings.TrimSuffix(tokenizer, "/"))
		})
	}
	for file := range senders {
		assert.Truef(t, sends[file], "%s no longer sends a sequence: remove it from the list", file)
	}
	for file := range recognizers {
		assert.Truef(t, looks[file], "%s no longer searches for ESC: remove it from the list", file)
	}
}

// escape matches ESC in a string, or in the source of a regular expression.
var escape = regexp.MustCompile("\x1b" + `|\\x1[bB]|\\x\{1[bB]\}|\\033|\\e\b`)

// searching are the packages with functions that search for a given text.
var searching = []string{"bytes", "strings", "regexp", "regexp2", "lazyregexp", "slices"}

// eachESC calls f with every literal of a file that contains ESC, and whether it is compared or
// searched for.
func eachESC(syntax *ast.File, f func(line int, text string, recognizes bool)) {
	var path []ast.Node
	ast.Inspect(syntax, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if lit, ok := n.(*ast.BasicLit); ok && hasESC(lit) {
			f(sourceSet.Position(lit.Pos()).Line, lit.Value, searchedFor(path))
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

// searchedFor reports whether the literal at the end of path is compared, or is an
// argument of a search. A single ESC outside a string is always searched for, because only
// strings are sent.
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
