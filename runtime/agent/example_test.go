package agent_test

import (
	"context"
	"fmt"
	"log"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate" // the adapter is read
)

// counter describes a program that takes a prompt as its last argument and prints JSON.
const counter = `schema: 1
name: counter
version: 0.1.0
description: Counts the words of a prompt
family: agent
process: {executable: bash}
agent:
  args: [-c, 'set -- $1; printf "{\"words\": %d}\n" $#', counter]
  prompt: {deliver: argument}
  output:
    format: ndjson
    events: '{type: "text", text: "\(.words) words"}, {type: "finished"}'
`

func Example() {
	a, diagnostics := schema.Parse("counter.yaml", []byte(counter), schema.Options{})
	if a == nil {
		log.Fatal(diagnostics)
	}
	outcome, err := agent.Run(context.Background(), a, agent.Turn{Prompt: "add a test"}, agent.Options{
		OnEvent: func(e event.Event) { fmt.Println("event:", e.Type) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.OK(), outcome.ExitCode, outcome.Text)
	// Output:
	// event: text
	// event: finished
	// true 0 3 words
}
