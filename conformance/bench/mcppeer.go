//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpPeer is @mako10k/mcp-shell-server, an MCP server from npm with its own terminals (node-pty).
// It does not detect the end of a command: it waits for the requested time and then returns the
// output.
const mcpPeer = "mcp-shell-server"

// mcpPeerTimes returns the times of `true` by the peer: polled until the command's last word
// appears, and with its default wait. They are empty if it is not installed.
func mcpPeerTimes(ctx context.Context, n int) (polled, waited []time.Duration, err error) {
	path, err := exec.LookPath(mcpPeer)
	if err != nil {
		return nil, nil, nil
	}
	peer := exec.Command(path)
	peer.Dir = os.TempDir() // it writes a log in its working directory
	c, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: peer}, nil)
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	s := mcpTerminal{client: c}
	if err := s.until(ctx, "begin", map[string]any{"command": "echo be\"\"gin"}); err != nil {
		return nil, nil, err
	}
	for i := range n {
		began := time.Now()
		word := fmt.Sprintf("end-%d", i)
		if err := s.until(ctx, word, map[string]any{"input": `true; echo en""d-` + word[len("end-"):], "output_delay_ms": 0}); err != nil {
			return nil, nil, err
		}
		polled = append(polled, time.Since(began))
	}
	for range max(n/50, 3) {
		began := time.Now()
		if _, err := s.operate(ctx, map[string]any{"input": "true"}); err != nil {
			return nil, nil, err
		}
		waited = append(waited, time.Since(began))
	}
	return polled, waited, nil
}

type mcpTerminal struct {
	client *sdk.ClientSession
	id     string
}

// until operates the terminal, and then polls it until it shows the word.
func (s *mcpTerminal) until(ctx context.Context, word string, arguments map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		out, err := s.operate(ctx, arguments)
		if err != nil || strings.Contains(out, word) {
			return err
		}
		arguments = map[string]any{"output_delay_ms": 0}
	}
}

func (s *mcpTerminal) operate(ctx context.Context, arguments map[string]any) (output string, err error) {
	arguments["response_level"], arguments["force_input"] = "minimal", true
	if s.id != "" {
		arguments["terminal_id"] = s.id
	}
	r, err := s.client.CallTool(ctx, &sdk.CallToolParams{Name: "terminal_operate", Arguments: arguments})
	if err != nil {
		return "", err
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return "", errors.New(text)
	}
	var answer struct {
		ID     string `json:"terminal_id"`
		Output string `json:"output"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	if answer.ID != "" {
		s.id = answer.ID
	}
	return answer.Output, nil
}
