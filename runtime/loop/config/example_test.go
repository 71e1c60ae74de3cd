package config_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.org/ripple/runtime/loop/config"
)

// Flags take precedence over the environment, and that over the files of the project.
func Example() {
	project, err := os.MkdirTemp("", "config")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(project)
	text := "loop: {max_turns: 20, verify: [make test]}\n"
	if err := os.WriteFile(filepath.Join(project, config.ProjectFile), []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	environment := map[string]string{"MAX_TURNS": "30"}
	c, _, err := config.Load(project, map[string]string{"max-turns": "3"}, func(name string) string { return environment[name] })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.MaxTurns, c.Source("MAX_TURNS").From)
	fmt.Println(c.Verify, c.Timeout)
	// Output:
	// 3 --max-turns
	// [make test] 15m0s
}
