package probe

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// packed is languages.json, the table of languages, compressed (RFC 1951) as the binary has it.
//
//go:embed languages.deflate
var packed []byte

//go:generate go test -run TestTheTableIsPacked -update .

// language is what is known of a family of languages before any program is asked. Each
// list is tried from its beginning, and only what the program answers to is used.
type language struct {
	Name      string              `json:"name"`
	Family    string              `json:"family"`    // of an adapter; empty: repl
	Spellings []string            `json:"spellings"` // of 6*7
	End       []string            `json:"end"`       // what ends a statement, where a line feed does not
	Samples   map[string][]string `json:"samples"`
	Load      []string            `json:"load"` // runs the file {path}
	Extension string              `json:"extension"`
	Leave     []string            `json:"leave"`  // ends the program
	Exits     []string            `json:"exits"`  // leaves a debugger
	Open      []string            `json:"open"`   // the beginning of something longer
	Wrong     []string            `json:"wrong"`  // fails
	Prompt    []string            `json:"prompt"` // sets the prompt to {prompt}
	Hooks     []string            `json:"hooks"`  // scripts after which prompts announce themselves by OSC 633 with {nonce}
	Cd        *directory          `json:"cd"`
	Whole     wholeness           `json:"whole"` // keeps output in one piece
	Brackets  map[string]any      `json:"brackets"`
}

// wholeness is what keeps long output in one piece, where a program asks on the way or
// breaks lines.
type wholeness struct {
	Env      map[string]string `json:"env"`
	Commands []string          `json:"commands"`
}

// directory is how a language changes its own.
type directory struct {
	Command string `json:"command"` // to {path}
	Quote   string `json:"quote"`   // as an adapter's cd_command_quote
}

var languages = sync.OnceValue(func() []language {
	var list []language
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(&list); err != nil {
		panic(err) // a test reads it
	}
	return list
})

// spellings are all ways to write 6*7, the most usual first.
func spellings() (list []string) {
	for _, l := range languages() {
		for _, s := range l.Spellings {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// speaking are the languages in which 6*7 is written so.
func speaking(spelling string) (list []language) {
	for _, l := range languages() {
		if slices.Contains(l.Spellings, spelling) {
			list = append(list, l)
		}
	}
	return list
}

func withText(sample, text string) string { return strings.ReplaceAll(sample, "{text}", text) }
