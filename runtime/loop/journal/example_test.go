package journal_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/ripple/runtime/loop/journal"
)

// These are lines of a loop's events.jsonl.
const lines = `{"timestamp":"2026-03-01T10:00:00Z","type":"run_started"}
{"timestamp":"2026-03-01T10:00:00Z","type":"turn_started","turn":1}
{"timestamp":"2026-03-01T10:00:05Z","type":"text","text":"The parser is written."}
`

// A View is the state of a run, computed from its records.
func Example() {
	var view journal.View
	err := journal.Read(strings.NewReader(lines), func(number int, r journal.Record, err error) error {
		if err == nil {
			view.Take(r)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("turn", view.Turn, len(view.Turns), view.Reason == "")
	// Output: turn 1 1 true
}
