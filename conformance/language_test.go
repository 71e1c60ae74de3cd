package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dialect lists phrases that read as a literal translation, or that are private names for
// things that have a common one. Matches of except are allowed. The list is for habits that
// spread, not for matters of style: it has at most 30 entries.
var dialect = []struct{ phrase, except, reason string }{
	{`\b(?:there )?(?:is|are) no \w+`, `^there|no (?:longer|more|less|match|use)$`, `say "is not a …"`},
	{`\bstands? in\b(?: for)?`, `for$`, `say "is written in", "is in"`},
	{`\banew\b`, ``, `say "again"; a program is restarted`},
	{`\b(?:goe?s?|gone|going|went) on with\b`, ``, `say "continues"`},
	{`\bwhoever\b`, ``, `name who is meant: the caller, the user, the process`},
	{`\bof ours\b`, ``, `say "our", or name the owner`},
	{`\bfor ever\b`, ``, `one word in American spelling: "forever"`},
	{`\btells? (?:of|that|which|how|whether|what|where|by|nothing)\b`, ``, `say "reports", "says" or "shows"`},
	{`\b(?:tell|tells|told|telling) (?:\w+ )?(?:apart|from)\b`, ``, `say "distinguishes"`},
	{`\b\w+ behind (?:\w+)?`, `(?i)^(?:left|leaves?|leaving|nothing|stays?|lags?|falls?|far|is) behind`, `say "after" for text and time; "left behind" is right`},
	{`\b(?:is|are|was|were) of (?:the|a|an|what|no|its|this|that|those|another|others|some)\b`, ``, `say what it is: "belongs to", "comes from", "is for"`},
	{`(?:^|[.;:] )What (?:[\w'-]+ ){1,12}?(?:is|are|was|were|does|has|have|may|must)\b`, ``, `begin the sentence with its subject`},
	{`\b(?:is|are|was|were) (?:said|told)\b`, ``, `say who reports it: "is reported", "the message says"`},
	{`\b(?:is|are|was|were|be|been|being) begun\b`, ``, `say "started"`},
	{`\bthose who\b`, ``, `name them: callers, users, processes`},
	{`\bno more than what\b|\bnothing but what\b`, ``, `say "only"`},
	{`\b(?:to|can|cannot|could|may) be had\b`, ``, `say "available"`},
	{`\bin vain\b`, ``, `say "failed" or "without result"`},
	{`\bbroken off\b`, ``, `say "interrupted" or "stopped early"`},
	{`\bwhat for\b`, ``, `say "the reason"`},
	{`\bput aside\b`, ``, `say "set aside", or what is done with it`},
	{`\bundertakers?\b`, ``, `the field says "reaper" or "supervisor"`},
	{`\bcaretakers?\b`, ``, `the field says "supervisor"`},
	{`\b(?:un)?proven\b|\bproofs?\b`, ``, `the field says "evidence", "confirmed"`},
	{`\bready-made\b`, ``, `say what it is: built-in`},
	{`\bfilms?\b|\bfilmed\b`, ``, `the field says "recording"`},
	{`\bdesks?\b`, ``, `say "unattended policy"`},
	{`\bany more\b`, ``, `say "no longer"`},
	{`\bin the place of\b`, ``, `say "instead of"`},
	{`\bwhat (?:came|comes) (?:of|back)\b`, ``, `name it: the result, the output`},
}

// TestPlainEnglish finds no phrase of dialect in comments, string literals, names of tests, documents, and the comments of
// scripts and YAML files.
func TestPlainEnglish(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(dialect), 30)
	found := map[string][]string{}
	check := func(unit, at, text string) {
		for _, d := range matches(text) {
			found[unit] = append(found[unit], at+": "+d)
		}
	}
	for _, file := range everyGoFile(t) {
		for _, p := range prose(t, file) {
			check(path.Dir(file), fmt.Sprintf("%s:%d", file, p.line), p.text)
		}
	}
	for _, file := range documents(t) {
		unit := file
		if path.Dir(file) == "adapters" {
			unit = "adapters"
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		for _, p := range paragraphs(string(text)) {
			check(unit, fmt.Sprintf("%s:%d", file, p.line), p.text)
		}
	}
	for _, file := range commented(t) {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		for _, p := range comments(file, string(text)) {
			check(path.Dir(file), fmt.Sprintf("%s:%d", file, p.line), p.text)
		}
	}
	for unit, list := range found {
		slices.Sort(list)
		t.Errorf("%s has phrases to be written in plain English:\n%s", unit, strings.Join(list, "\n"))
	}
}

// Phrases that are right are not counted.
func TestDialect(t *testing.T) {
	for text, want := range map[string]int{
		"There is no session; it is no longer there.":    0,
		"x is no name for a console":                     1,
		"the string stands in its file":                  1,
		"A mock stands in for the server.":               0,
		"processes left behind by a turn":                0,
		"a program that leaves nothing behind it":        0,
		"the text behind the prompt":                     1,
		"What a host tells its clients is written here.": 1,
		"What is this?":                                  0,
		"The loop goes on\nwith the next turn for ever.": 2,
		"errRefused is of what the adapter denies.":      1,
		"an argument in the place of the prompt":         1,
		"result is what came of a call":                  1,
	} {
		assert.Lenf(t, matches(strings.Join(strings.Fields(text), " ")), want, "%s", text)
	}
}

// The literals by which a text is passed over are in every match.
func TestPhrasesNeedTheirLiterals(t *testing.T) {
	for _, tt := range []struct {
		phrase string
		want   []string
	}{
		{`\bcinema\b`, []string{"cinema"}},
		{`(?:goe?s?|gone|went) on with`, []string{" on with"}},
		{`films?|filmed`, []string{"film"}},
		{`(?:apart|from)x`, []string{"apart", "from"}},
		{`What (?:a|b)+ is`, []string{"what "}},
		{`(?:un)?sure|\w+`, nil},
	} {
		tree, err := syntax.Parse(tt.phrase, syntax.Perl)
		require.NoError(t, err)
		assert.Equal(t, tt.want, needed(tree), tt.phrase)
	}
	for _, p := range phrases {
		assert.NotEmpty(t, p.needs, "%s: no literal is in every match, which makes TestPlainEnglish slow", p.phrase)
	}
}

type compiledPhrase struct {
	phrase, except *regexp.Regexp
	needs          []string // a text without any of them, in lower case, does not match: searching for them is much faster
	reason         string
}

var phrases = func() (list []compiledPhrase) {
	for _, d := range dialect {
		c := compiledPhrase{phrase: regexp.MustCompile("(?i)" + d.phrase), reason: d.reason}
		if tree, err := syntax.Parse(d.phrase, syntax.Perl); err == nil { // phrase has compiled
			c.needs = needed(tree)
		}
		if d.except != "" {
			c.except = regexp.MustCompile("(?i)" + d.except)
		}
		list = append(list, c)
	}
	return list
}()

// needed returns literals, in lower case, one of which is in every match of a regular expression; nil if there are none.
// Of the parts of a match, it chooses the one whose shortest literal is longest.
func needed(re *syntax.Regexp) (best []string) {
	shortest := func(list []string) int {
		if len(list) == 0 {
			return 0
		}
		return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
	}
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if list := needed(sub); shortest(list) > shortest(best) {
				best = list
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			list := needed(sub)
			if list == nil {
				return nil
			}
			best = append(best, list...)
		}
	}
	return best
}

// matches returns each phrase of dialect in text, with what to write instead.
func matches(text string) (list []string) {
	lower := strings.ToLower(text)
	for _, p := range phrases {
		if len(p.needs) > 0 && !slices.ContainsFunc(p.needs, func(literal string) bool { return strings.Contains(lower, literal) }) {
			continue
		}
		for _, m := range p.phrase.FindAllString(text, -1) {
			if p.except == nil || !p.except.MatchString(m) {
				list = append(list, fmt.Sprintf("%q: %s", m, p.reason))
			}
		}
	}
	return list
}

// passage is text for readers that begins at a line of a file; its line breaks are blanks.
type passage struct {
	line int
	text string
}

// word matches the end of a word in a name such as TestWordsOfAName.
var word = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// fileKey matches the part of a struct tag that names a key of a file.
var fileKey = regexp.MustCompile(`\b(json|yaml):"[^"]*"`)

// prose returns the comments, the string literals, and the words of the tests' names of a Go file, without the keys of
// files in struct tags. Generated files have none.
func prose(t *testing.T, file string) (list []passage) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	if ast.IsGenerated(f) {
		return nil
	}
	for _, c := range f.Comments {
		list = append(list, passage{fset.Position(c.Pos()).Line, strings.Join(strings.Fields(c.Text()), " ")})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				n.Tag.Value = fileKey.ReplaceAllString(n.Tag.Value, "")
			}
		case *ast.FuncDecl:
			if name, isTest := strings.CutPrefix(n.Name.Name, "Test"); isTest {
				list = append(list, passage{fset.Position(n.Pos()).Line, word.ReplaceAllString(name, "$1$3 $2$4")})
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				list = append(list, passage{fset.Position(n.Pos()).Line, strings.Join(strings.Fields(strings.Trim(n.Value, "`\"")), " ")})
			}
		}
		return true
	})
	return list
}

// paragraphs splits a document at empty lines.
func paragraphs(text string) (list []passage) {
	line := 1
	for _, p := range strings.Split(text, "\n\n") {
		list = append(list, passage{line, strings.Join(strings.Fields(p), " ")})
		line += strings.Count(p, "\n") + 2
	}
	return list
}

// scripted are the suffixes of files whose comments are checked, and what begins a comment there;
// "" is for files without a suffix, such as Makefile and those of tools and .ci.
var scripted = map[string]string{
	"": "#", ".sh": "#", ".yaml": "#", ".yml": "#", ".txtar": "#", ".tmpl": "#", ".jq": "#",
	".bash": "#", ".zsh": "#", ".ash": "#", ".dash": "#", ".fish": "#", ".ksh93": "#", ".mksh": "#", ".tcsh": "#", ".yash": "#", ".rc": "#",
	".nu": "#", ".xsh": "#", ".py": "#", ".rb": "#", ".pl": "#%", ".tcl": "#", ".gdb": "#", ".ps1": "#", ".coffee": "#", ".php": "/#",
	".js": "/", ".java": "/", ".fs": "/", ".groovy": "/", ".lua": "-", ".ghci": "-", ".erl": "%",
	".scm": ";", ".ss": ";", ".rkt": ";", ".lisp": ";", ".clj": ";",
}

// comments returns the comments of a script: successive lines that begin with a mark are one passage,
// and so is the rest of a line from a mark between blanks on.
func comments(file, text string) (list []passage) {
	marks := scripted[path.Ext(file)]
	block := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		rest := strings.TrimLeft(line, marks)
		switch {
		case rest != line && !strings.HasPrefix(rest, "!"):
			if !block {
				list = append(list, passage{line: number})
			}
			last := &list[len(list)-1]
			last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(rest))
			block = true
			continue
		case strings.Contains(line, " "+marks[:1]+" "):
			_, rest, _ = strings.Cut(line, " "+marks[:1]+" ")
			list = append(list, passage{number, rest})
		}
		block = false
	}
	return list
}

// TestCommentsOfScripts has the passages that comments finds.
func TestCommentsOfScripts(t *testing.T) {
	for file, c := range map[string]struct {
		text string
		want []passage
	}{
		"tools/x": {"#!/bin/sh\n# One\n# two.\n\n  # Three.\necho '#no' \"$#\" # four\n", []passage{{2, "One two."}, {5, "Three."}, {6, "four"}}},
		"x.erl":   {"%% One\n%% two.\nf() -> ok.\n", []passage{{1, "One two."}}},
		"x.lua":   {"-- One.\nlocal x = 1\n-- Two.\n", []passage{{1, "One."}, {3, "Two."}}},
		"x.yaml":  {"a: 1 # one\n# two\n# three\nb: '#4'\n", []passage{{1, "one"}, {2, "two three"}}},
	} {
		assert.Equal(t, c.want, comments(file, c.text), file)
	}
}

// commented returns the scripts and YAML files, including those of tests and of CI.
func commented(t *testing.T) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name, rel := d.Name(), filepath.ToSlash(rel)
		hidden := strings.HasPrefix(name, ".") && !slices.Contains([]string{".ci", ".github"}, name)
		if d.IsDir() && file != root && (hidden || slices.Contains([]string{"node_modules", "dist", "bin", "fuzz"}, name) || rel == "schema/testdata/err") {
			return filepath.SkipDir
		}
		if _, is := scripted[path.Ext(name)]; is && d.Type().IsRegular() && name != "LICENSE" {
			files = append(files, rel)
		}
		return nil
	}))
	for _, file := range []string{".ci/steps", ".github/workflows/ci.yml", "Makefile", "tools/steps", "adapters/bash.yaml", "cmd/ripple/testdata/script/help.txtar"} {
		require.Contains(t, files, file)
	}
	return files
}

// everyGoFile returns the Go files of all modules, by their path from the repository's root,
// except the list of phrases itself.
func everyGoFile(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(tree(t, ".go"), func(file string) bool { return file == "conformance/language_test.go" })
}

// documents returns the Markdown and YAML files that people read.
func documents(t *testing.T) []string {
	t.Helper()
	return append(tree(t, ".md"), slices.DeleteFunc(tree(t, ".yaml"), func(file string) bool { return !strings.HasPrefix(file, "adapters/") })...)
}

// tree returns the files with a suffix outside hidden and testdata directories.
func tree(t *testing.T, suffix string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && file != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "node_modules", "dist", "bin"}, name)) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, suffix) {
			rel, err := filepath.Rel(root, file)
			files = append(files, filepath.ToSlash(rel))
			return err
		}
		return nil
	}))
	require.NotEmpty(t, files)
	return files
}
