package hats_test

import (
	"fmt"

	"example.org/ripple/runtime/loop/hats"
)

// A topic that the builder publishes gives the next turn to the reviewer.
func Example() {
	rules := hats.Rules{Start: "task.start", Hats: []hats.Hat{
		{Key: "builder", Triggers: []string{"task.start"}, Publishes: []string{"build.done"}},
		{Key: "reviewer", Triggers: []string{"build.*"}},
	}}
	state, _ := rules.Begin()
	choice := rules.Next(&state)
	fmt.Println(choice.Hat.Key)

	scanner := hats.NewScanner("")
	scanner.Text(`Done. <event topic="build.done">parser and tests</event>`)
	published, _ := scanner.Found()
	rules.End(&state, choice, hats.Turn{Number: 1, Published: published})
	choice = rules.Next(&state)
	fmt.Println(choice.Hat.Key, choice.Topics[0].Payload)
	// Output:
	// builder
	// reviewer parser and tests
}
