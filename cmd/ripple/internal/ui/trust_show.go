package ui

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
)

// ShowItems lists all items, and the changes in those that the user has approved before.
func ShowItems(to io.Writer, record trust.Record, items []trust.Item) {
	for _, i := range items {
		changes, known := record.Changes(i)
		state := ""
		switch {
		case i.Broken != "":
			state = " (not used: " + strings.ReplaceAll(plainText(i.Broken), "\n", "\n  | ") + ")"
		case record.Has(i):
			state = " (approved)"
		case known && !i.IsWithdrawn(): // which says what has changed
			state = " (changed since it was approved)"
		}
		base := record.Project
		if i.Kind == trust.Home { // the project may not be the one in the current directory
			base = ""
		}
		fmt.Fprintf(to, "%s%s\n", quote.Shell(place(base, i.Path)), state)
		for _, line := range i.Runs {
			fmt.Fprintln(to, Indent(plainText(inOneLine(line))))
		}
		if changes != "" && !record.Has(i) {
			fmt.Fprintln(to, Indent(plainText(changes)))
		}
	}
}

// inOneLine returns a name and a value, "NAME: VALUE" or "NAME=VALUE", with the value quoted if it has line breaks. A line without
// a name is quoted as a whole.
func inOneLine(line string) string {
	if !strings.Contains(line, "\n") {
		return line
	}
	at := nameOfValue().FindStringIndex(line)
	if at == nil {
		return strconv.Quote(line)
	}
	return line[:at[1]] + strconv.Quote(line[at[1]:])
}

// place returns a path relative to a project.
func place(project, path string) string {
	if name, is := projectfile.Relative(project, path); is && filepath.IsAbs(path) {
		path = filepath.FromSlash(name)
	}
	return oneLine.Replace(plainText(path))
}

var oneLine = strings.NewReplacer("\n", `\n`, "\t", `\t`)

var (
	manyBlanks  = lazyregexp.New(`[ \t]{20,}`)
	nameOfValue = lazyregexp.New(`^[^\n]*?(?:: |=)`)
	manyLines   = lazyregexp.New(`\n(?:[ \t]*\n){2,}`)
)

// blank has characters that look like blanks, although they are printable: the Braille pattern without dots, a note
// without a head, and empty hieroglyphs.
const blank = "\u2800\U0001d159\U00013441\U00013442"

// plainText shows text of a project unchanged, except that invisible characters and those that
// change the direction of text are shown as code points, and long runs of blanks are shortened so
// that they cannot push text out of sight.
func plainText(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && !strings.ContainsRune(blank, r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			b.WriteString(text[i : i+n])
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += n
	}
	short := manyBlanks().ReplaceAllString(b.String(), " [blanks] ")
	return manyLines().ReplaceAllString(short, "\n[empty lines]\n")
}
