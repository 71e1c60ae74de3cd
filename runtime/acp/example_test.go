package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"example.org/ripple/runtime/acp"
)

// A server usually serves os.Stdin and os.Stdout, which belong to an editor.
func Example() {
	server := acp.New(acp.Options{Version: "1.0.0", LoopCommand: func(task string, resume bool) []string {
		argv := []string{"ripple", "run", "--json"}
		if task != "" {
			argv = append(argv, "--prompt-file", task)
		}
		return argv
	}})
	request := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	var out bytes.Buffer
	if err := server.Serve(context.Background(), strings.NewReader(request), &out); err != nil {
		log.Fatal(err)
	}
	var answer struct {
		Result struct {
			ProtocolVersion int
			AgentInfo       struct{ Name, Version string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", answer.Result)
	// Output: {ProtocolVersion:1 AgentInfo:{Name:ripple Version:1.0.0}}
}
