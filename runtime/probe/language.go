package probe

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

//go:embed languages.json
var languagesText []byte

// language is prior knowledge of a family of languages. Each list is tried in order, and only
// entries that the program accepts are used.
type language struct {
	Name      string              `json:"name"`
	Family    string              `json:"family"`    // adapter family; empty: repl
	Spellings []string            `json:"spellings"` // spellings of 6*7
	End       []string            `json:"end"`       // ends of a statement, if a line feed is not one
	Samples   map[string][]string `json:"samples"`
	Load      []string            `json:"load"` // commands that run the file {path}
	Extension string              `json:"extension"`
	Leave     []string            `json:"leave"`  // commands that end the program
	Exits     []string            `json:"exits"`  // commands that leave a debugger
	Open      []string            `json:"open"`   // beginnings of longer constructs
	Wrong     []string            `json:"wrong"`  // code that fails
	Prompt    []string            `json:"prompt"` // commands that set the prompt to {prompt}
	Hooks     []string            `json:"hooks"`  // scripts that make prompts announce themselves by OSC 633 with {nonce}
	Cd        *directory          `json:"cd"`
	Whole     wholeness           `json:"whole"` // settings that keep output in one piece
	Brackets  map[string]any      `json:"brackets"`
}

// wholeness keeps long output in one piece if a program pages it or breaks lines.
type wholeness struct {
	Env      map[string]string `json:"env"`
	Commands []string          `json:"commands"`
}

// directory is how a language changes the working directory.
type directory struct {
	Command string `json:"command"` // changes to {path}
	Quote   string `json:"quote"`   // like an adapter's cd_command_quote
}

var languages = sync.OnceValue(func() []language {
	var list []language
	if err := json.Unmarshal(languagesText, &list); err != nil {
		panic(err) // a test reads it
	}
	return list
})

// spellings returns all ways to write 6*7, the most common first.
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

// speaking returns the languages that write 6*7 in the given spelling.
func speaking(spelling string) (list []language) {
	for _, l := range languages() {
		if slices.Contains(l.Spellings, spelling) {
			list = append(list, l)
		}
	}
	return list
}

func withText(sample, text string) string { return strings.ReplaceAll(sample, "{text}", text) }
