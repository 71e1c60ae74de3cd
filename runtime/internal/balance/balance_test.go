package balance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/schema"
)

// lisp is the example of the v1 schema text.
var lisp = schema.BalancedParens{
	Open: []string{"(", "[", "{"}, Close: []string{")", "]", "}"}, StringDelims: []string{`"`}, Escape: `\`,
	LineComment: ";", BlockComment: []string{"#|", "|#"}, CharLiteralPrefix: `#\`, DatumCommentPrefix: "#;",
}

func TestLisp(t *testing.T) {
	const complete = ""
	cases := []struct{ name, text, want string }{
		{"empty", "", complete},
		{"blank", " \n\t\r\n", complete},
		{"an atom", "x", complete},
		{"one list", "(+ 1 2)", complete},
		{"several on lines", "(a)\n[b]\n{c}\n", complete},
		{"nested of all kinds", "({[([{}])]})", complete},
		{"quoting prefixes", "'(a `(b ,@(c) ,d))", complete},

		{"open", "(+ 1 2", `"(" at line 1, column 1 is never closed: missing )`},
		{"open in a definition", "(define (f x)\n  (* x 2)", `"(" at line 1, column 1 is never closed: missing )`},
		{"the innermost counts", "(a\n  [b", `"[" at line 2, column 3 is never closed, nor is the bracket around it in line 1: missing ])`},
		{"several around it", "(a\n  (b\n {c [", `"[" at line 3, column 5 is never closed, nor are the 3 brackets around it, the first in line 1: missing ]}))`},
		{"columns are characters", "äöü (", `"(" at line 1, column 5 is never closed: missing )`},
		{"closed too often", "(a))", `")" at line 1, column 4 has no opening bracket`},
		{"closed by another", "(a]", `"]" at line 1, column 3 cannot close "(": expected ")"`},
		{"crossed", "([)]", `")" at line 1, column 3 cannot close "[": expected "]"`},

		{"brackets in a string", `(display "([{")`, complete},
		{"an escaped quote", `"a\"(b"`, complete},
		{"an escaped escape", `"a\\" (b)`, complete},
		{"a string over lines", "\"a\n(b\"", complete},
		{"open string", "(a\n \"b)", `the string that " opens at line 2, column 2 is never closed`},
		{"open string that ends in an escape", `"a\`, `the string that " opens at line 1, column 1 is never closed`},
		{"a comment sign in a string", `(a ";" b)`, complete},

		{"brackets in a line comment", "(a) ; (((\n(b)", complete},
		{"a line comment at the end", "(a) ; (", complete},
		{"a list that goes on after a comment", "(a ; )\n", `"(" at line 1, column 1 is never closed: missing )`},
		{"a quote in a comment", "; don't say \"\n(a)", complete},

		{"brackets in a block comment", "(a #| ( [ |# b)", complete},
		{"nested block comments", "#| a #| b |# ( |# (c)", complete},
		{"open block comment", "(a)\n#| b #| c |#", `the comment that #| opens at line 2, column 1 is never closed`},
		{"a line comment in a block comment", "#| ; |# (a)", complete},
		{"a block comment in a line comment", "; #|\n(a)", complete},
		{"a string in a block comment", "#| \" |# (a)", complete},

		{"literal (", `(list #\( 1)`, complete},
		{"literal )", `(list #\) 1)`, complete},
		{"literal brackets of all kinds", `#\( #\) #\[ #\] #\{ #\}`, complete},
		{"literal quote", `(list #\" 1)`, complete},
		{"literal semicolon", `(list #\; 1)`, complete},
		{"literal backslash", `(list #\\ 1)`, complete},
		{"literal blank", `(list #\  1)`, complete},
		{"named literal", `(list #\space)`, complete},
		{"named literal with digits", `(list #\x41)`, complete},
		{"literal of several bytes", `(list #\λ)`, complete},
		{"a quoted literal", `(list '#\( 1)`, complete},
		{"a literal at the end of the list", `(list #\))`, complete},
		{"a literal that eats the last bracket", `(list #\)`, `"(" at line 1, column 1 is never closed: missing )`},
		{"no character", `#\`, `#\ at line 1, column 1 must be followed by a character`},

		{"datum comment on an atom", "(a #;b c)", complete},
		{"datum comment on a string", `(a #;"(" c)`, complete},
		{"datum comment on a list", "(a #;(b [c]) d)", complete},
		{"datum comment on a literal", `(a #;#\( d)`, complete},
		{"datum comment after blanks", "(a #; \n b)", complete},
		{"datum comment over a comment", "(a #; ; no\n b)", complete},
		{"two stack", "#;#;(a)(b)", complete},
		{"two stack on one", "#;#;(a)", `#; at line 1, column 1 comments out nothing: an expression must follow`},
		{"nested", "#;(a #;(b) c)", complete},
		{"nested in one that goes on", "#;(a #;(b)", `"(" at line 1, column 3 is never closed: missing )`},
		{"a quoted list is one datum", "#;#;'(a)", `#; at line 1, column 1 comments out nothing: an expression must follow`},
		{"a vector is one datum", "#;#;#(a)", `#; at line 1, column 1 comments out nothing: an expression must follow`},
		{"at the end", "(a)\n#;", `#; at line 2, column 1 comments out nothing: an expression must follow`},
		{"before a closing bracket", "(a #;)", `#; at line 1, column 4 comments out nothing: an expression must follow`},
		{"the list is the datum", "#;(a) #;b c", complete},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := New(lisp).Check(c.text)
			assert.Equal(t, c.want, r.Message())
			assert.Equal(t, c.want == complete, r.Complete)
			assert.Equal(t, r.Complete, r.Line == 0 && r.Column == 0)
		})
	}
}

func TestOtherLanguages(t *testing.T) {
	lua := schema.BalancedParens{
		Open: []string{"(", "{", "[["}, Close: []string{")", "}", "]]"}, StringDelims: []string{`"`, `'`}, Escape: `\`,
		LineComment: "--", BlockComment: []string{"--[[", "]]"},
	}
	python := schema.BalancedParens{
		Open: []string{"("}, Close: []string{")"}, StringDelims: []string{`"`, `"""`, `'`, `'''`}, Escape: `\`, LineComment: "#",
	}
	sql := schema.BalancedParens{Open: []string{"("}, Close: []string{")"}, StringDelims: []string{`'`}, Escape: `'`, LineComment: "--"}
	elisp := schema.BalancedParens{Open: []string{"("}, Close: []string{")"}, StringDelims: []string{`"`}, Escape: `\`, CharLiteralPrefix: "?"}

	cases := []struct {
		name string
		cfg  schema.BalancedParens
		text string
		want string
	}{
		{"a block comment that begins like a line comment", lua, "f() --[[ ( \n ]] g()", ""},
		{"a line comment without a blank before it", lua, "x=1--(", ""},
		{"two kinds of quotes", lua, `f('"(', "'(")`, ""},
		{"the long delimiter first", python, `f("""a " ( ''' """)`, ""},
		{"the empty string", python, `f("")`, ""},
		{"open long string", python, `f("""a")`, `the string that """ opens at line 1, column 3 is never closed`},
		{"a doubled quote", sql, "f('it''s (')", ""},
		{"a doubled quote at the end", sql, "f('it''')", ""},
		{"open after a doubled quote", sql, "'it''", `the string that ' opens at line 1, column 1 is never closed`},
		{"a prefix that ends another atom", elisp, "(null?)", ""},
		{"a prefix of one character", elisp, "(list ?( ?))", ""},
		{"nothing declared", schema.BalancedParens{}, "(((\"", ""},
		{"a half-declared block comment", schema.BalancedParens{BlockComment: []string{"/*"}}, "/*", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, New(c.cfg).Check(c.text).Message())
		})
	}
}

func TestReportFields(t *testing.T) {
	assert.Equal(t, Report{Complete: true}, New(lisp).Check("(a)"))
	assert.Equal(t, Report{Problem: mismatched, Line: 2, Column: 2, Opener: "(", Found: "]", Want: ")", Text: " ]"}, New(lisp).Check("(\n ]"))
	assert.Equal(t, Report{Problem: unclosed, Line: 1, Column: 3, Opener: "(", Around: 2, Outer: 1, Missing: ")))", Text: "((("}, New(lisp).Check("((("))
}

func TestExcerpt(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"complete", "(a)", ""},
		{"at the start", "(a", "(a\n^"},
		{"in a later line", "(a\n  [b\n c", "  [b\n  ^"},
		{"in the middle of a line", "(a\n)) b", ")) b\n ^"},
		{"characters, not bytes", "äöü (", "äöü (\n    ^"},
		{"a tab", "\t(a", " (a\n ^"},
		{"a control character", "\x1b(a", " (a\n ^"},
		{
			"a long line", strings.Repeat("a", 1000) + "(" + strings.Repeat("b", 1000),
			strings.Repeat("a", 60) + "(" + strings.Repeat("b", 19) + "\n" + strings.Repeat(" ", 60) + "^",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, New(lisp).Check(c.text).Excerpt())
		})
	}
}

func TestManyOpenBracketsAreNotListed(t *testing.T) {
	assert.Equal(t, `"(" at line 1, column 5000 is never closed, nor are the 4999 brackets around it, the first in line 1`,
		New(lisp).Check(strings.Repeat("(", 5000)).Message())
}

func TestTimeIsLinear(t *testing.T) {
	for _, unit := range []string{"(", "#;", "#|", `"\`, "'", "(a)", "#;(", "\n", `#\(`, "#", "|#", "\xff", `'x#\#\`} {
		half := 1 << 20 / len(unit)
		text := strings.Repeat(unit[:1], half) + strings.Repeat(unit, half)
		start := time.Now()
		New(lisp).Check(text)
		// A quadratic pass over a MiB would take hours.
		assert.Less(t, time.Since(start), 20*time.Second, "%q", unit)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"(a [b] {c})", `"\"" #\( #;#;(a)'(b) #|#||#|# ; (`, "a'#\\", "#;", "\xff(\xfe", "'#;a b"} {
		f.Add(seed, ")")
		f.Add(seed, "\n")
	}
	f.Fuzz(func(t *testing.T, text, more string) {
		r := New(lisp).Check(text)
		if r.Complete != (r.Message() == "") {
			t.Fatalf("%+v", r)
		}
		if lines := strings.Count(text, "\n") + 1; r.Line > lines {
			t.Fatalf("line %d of %d", r.Line, lines)
		}
		if !r.Complete {
			return
		}
		// What is complete stays so before a datum of its own line, and an open
		// bracket after it opens it again.
		if next := New(lisp).Check(text + "\n(a)\n"); !next.Complete {
			t.Fatalf("%q with a datum: %s", text, next.Message())
		}
		if next := New(lisp).Check(text + "\n("); next.Problem != unclosed || next.Around != 0 {
			t.Fatalf("%q with a bracket: %s", text, next.Message())
		}
		if next := New(lisp).Check(more); next.Complete && !New(lisp).Check(text+"\n"+more).Complete {
			t.Fatalf("%q and %q are complete, but not together", text, more)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	text := strings.Repeat("(define (f x) ; comment (\n  (+ x \"a \\\" b\" #\\( ))\n", 20<<10/50)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if r := New(lisp).Check(text); !r.Complete {
			b.Fatal(r.Message())
		}
	}
}
