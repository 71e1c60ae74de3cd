package agentloop_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/agentloop"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate" // the adapter is read
)

// writer describes a program that does what its prompt says, in bash.
const writer = `schema: 1
name: writer
version: 0.1.0
description: Runs its prompt in bash
family: agent
process: {executable: bash}
agent:
  args: [-c]
  prompt: {deliver: argument}
  output: {format: text}
`

func Example() {
	a, diagnostics := schema.Parse("writer.yaml", []byte(writer), schema.Options{})
	if a == nil {
		log.Fatal(diagnostics)
	}
	project, err := os.MkdirTemp("", "loop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(project)
	settings, _, err := config.Load(project, map[string]string{"max-turns": "2"}, func(string) string { return "" })
	if err != nil {
		log.Fatal(err)
	}
	stop := loop.New(loop.Options{
		Project: project, Config: settings, Agent: &agentloop.Agent{Adapter: a}, Prompt: "date +%N >now; echo written #",
	}).Run(context.Background())
	fmt.Println(stop.Reason + ": " + stop.Message)
	// Output: max_turns: 2 turns taken, the limit is 2; the agent did not say that the work is done.
}
