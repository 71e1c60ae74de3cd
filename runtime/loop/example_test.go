package loop_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/config"
)

// scripted is an agent that runs its prompt in bash.
type scripted struct{}

func (scripted) Turn(ctx context.Context, r loop.Request, _ func(event.Event)) (loop.Outcome, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", r.Prompt)
	cmd.Dir = r.Dir
	out, err := cmd.Output()
	return loop.Outcome{Text: string(out)}, err
}

// The agent takes turns until the project's own check passes and the plan has no open task.
// Package agentloop has an agent for the program of any adapter.
func Example() {
	project, err := os.MkdirTemp("", "loop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(project)
	settings, _, err := config.Load(project, map[string]string{"verify": "test $(wc -l <list) = 2", "max-turns": "5"}, func(string) string { return "" })
	if err != nil {
		log.Fatal(err)
	}
	stop := loop.New(loop.Options{
		Project: project, Config: settings, Agent: scripted{},
		Prompt: `echo item >>list; echo "- [$([ $(wc -l <list) = 2 ] && echo x || echo ' ')] two items" >.ralph/@fix_plan.md`,
		Observe: func(n loop.Notice) {
			if n.Kind == loop.NoticeTurnStarted {
				fmt.Println("turn", n.Turn)
			}
		},
	}).Run(context.Background())
	fmt.Println(stop.Reason, stop.Verified, stop.Done())
	// Output:
	// turn 1
	// turn 2
	// plan_complete true true
}
