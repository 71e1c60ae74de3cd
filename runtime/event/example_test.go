package event_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"example.org/ripple/runtime/event"
)

// This is the output of `ripple agent run --json`, one event per line.
const turn = `{"type":"session","id":"s-1"}
{"type":"tool_use","id":"1","tool":"bash","name":"Bash","input":{"command":"make test"}}
{"type":"usage","input":1200,"output":80}
{"type":"finished","result":"The tests pass."}
`

func Example() {
	for lines := bufio.NewScanner(strings.NewReader(turn)); lines.Scan(); {
		var e event.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			log.Fatal(err)
		}
		switch e.Type {
		case event.ToolUse:
			fmt.Println(e.Tool, string(e.Input))
		case event.Usage:
			fmt.Println(e.Tokens.Input+e.Tokens.Output, "tokens")
		case event.Finished:
			fmt.Println(e.Result)
		}
	}
	// Output:
	// bash {"command":"make test"}
	// 1280 tokens
	// The tests pass.
}
