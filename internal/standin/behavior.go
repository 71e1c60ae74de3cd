package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// behavior is the behavior that a base URL selects.
type behavior struct {
	path   string // the name with its parameters, as in the URL
	name   string
	params url.Values
	input  map[string]any // of the tool's call; nil: derived from the command
	plan   []planned      // the calls of "calls", in their order
	status int            // of a refusal, otherwise 0
	times  int            // 0: the behavior's own
}

var (
	behaviors  = []string{"text", "tool", "failtool", "edit", "loop", "calls", "stall", "drop"}
	parameters = []string{"text", "run", "name", "input", "plan", "file", "line", "times", "after", "at"}
)

// planned is a call of the behavior "calls".
type planned struct {
	Name  string         `json:"name"` // as its server announces it; clients may add a prefix
	Input map[string]any `json:"input"`
}

// parseBehavior reads an escaped path "/m/NAME[/KEY=VALUE...]/rest".
func parseBehavior(path string) (b behavior, rest string, err error) {
	elements := strings.Split(strings.TrimPrefix(path, "/m/"), "/")
	b.name, b.params = elements[0], url.Values{}
	n := 1
	for ; n < len(elements); n++ {
		key, value, ok := strings.Cut(elements[n], "=")
		if !ok {
			break
		}
		if value, err = url.PathUnescape(value); err != nil {
			return b, "", fmt.Errorf("parameter %s: %w", key, err)
		}
		if !slices.Contains(parameters, key) {
			return b, "", fmt.Errorf("unknown parameter %q: there are %s", key, strings.Join(parameters, ", "))
		}
		b.params.Set(key, value)
	}
	b.path, rest = strings.Join(elements[:n], "/"), "/"+strings.Join(elements[n:], "/")
	if status, bad := strconv.Atoi(b.name); bad == nil && status >= 400 && status <= 599 {
		b.status = status
	} else if !slices.Contains(behaviors, b.name) {
		return b, "", fmt.Errorf("unknown behavior %q: there are %s and statuses from 400 to 599", b.name, strings.Join(behaviors, ", "))
	}
	if input := b.params.Get("input"); input != "" {
		if err := json.Unmarshal([]byte(input), &b.input); err != nil {
			return b, "", fmt.Errorf("parameter input: %w", err)
		}
	}
	if plan := b.params.Get("plan"); plan != "" {
		if err := json.Unmarshal([]byte(plan), &b.plan); err != nil {
			return b, "", fmt.Errorf("parameter plan: %w", err)
		}
	}
	b.times, err = b.number("times", 0)
	if err == nil {
		_, err = b.number("after", 1)
	}
	return b, rest, err
}

// number returns a parameter whose value is a number.
func (b behavior) number(key string, fallback int) (int, error) {
	value := b.params.Get(key)
	if value == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("parameter %s: %q is not a number from 0", key, value)
	}
	return n, nil
}

// param returns a parameter, or its default.
func (b behavior) param(key, fallback string) string {
	if b.params.Has(key) {
		return b.params.Get(key)
	}
	return fallback
}

// limitHeaders sets the headers from which clients read when to retry.
func (b behavior) limitHeaders(h http.Header) {
	seconds, _ := b.number("after", 1) // checked when it was parsed
	reset := time.Now().Add(time.Duration(seconds) * time.Second)
	h.Set("Retry-After", strconv.Itoa(seconds))
	h.Set("Anthropic-Ratelimit-Unified-Reset", strconv.FormatInt(reset.Unix(), 10))
	h.Set("Anthropic-Ratelimit-Requests-Reset", reset.UTC().Format(time.RFC3339))
	h.Set("X-Ratelimit-Reset-Requests", strconv.Itoa(seconds)+"s")
}

// refusal returns the message for the status.
func (b behavior) refusal() string {
	switch b.status {
	case http.StatusUnauthorized:
		return "The stand-in takes no key."
	case http.StatusTooManyRequests:
		return "The stand-in's rate limit is reached."
	}
	return b.param("text", "The stand-in refuses: "+http.StatusText(b.status)+".")
}

// reply returns the model's reply to a request.
func (b behavior) reply(q request) reply {
	if q.schema != nil {
		return reply{text: smallest(q.schema)}
	}
	turns, results := q.turns()
	shell := q.shell()
	if name := b.params.Get("name"); name != "" {
		shell = q.tool(name)
	}
	if n := len(results); n < len(b.plan) && len(q.tools) > 0 {
		t, offered := q.served(b.plan[n].Name)
		if !offered {
			return reply{text: fmt.Sprintf("STANDIN: no tool is offered that ends with %s.", b.plan[n].Name)}
		}
		return reply{call: &call{id: newID("call"), tool: t, arguments: b.plan[n].Input}}
	}
	if command, times := b.command(len(results)), b.calls(); command != "" && shell.Name != "" && (times < 0 || len(results) < times) {
		arguments := b.input
		if arguments == nil {
			arguments = shell.arguments(command)
		}
		return reply{call: &call{id: newID("call"), tool: shell, arguments: arguments}}
	}
	text := fmt.Sprintf("STANDIN-OK: %d messages, %d user turns.", len(q.messages), turns)
	if len(results) > 0 {
		text += fmt.Sprintf(" The tool said: %s", strings.Join(results, " / "))
	}
	return reply{text: b.param("text", text+" Žluťoučký kůň, 日本語, 👩‍💻.")}
}

// calls returns the number of tool calls in a turn; -1: unlimited.
func (b behavior) calls() int {
	switch {
	case b.name == "loop":
		return -1
	case b.times > 0:
		return b.times
	}
	return 1
}

// command returns the command line for the shell tool in call n of a turn, from 0; it is empty if
// the behavior calls no tool.
func (b behavior) command(n int) string {
	switch b.name {
	case "tool":
		return b.param("run", "echo standin-tool-ran; pwd")
	case "failtool":
		return b.param("run", "echo standin-tool-failed; exit 3")
	case "edit":
		return b.param("run", fmt.Sprintf("printf '%%s\\n' %s >> %s", quote(b.param("line", "standin was here")), quote(b.param("file", "standin.txt"))))
	case "loop":
		return b.param("run", fmt.Sprintf("echo standin-loop-%d", n))
	}
	return ""
}

// quote quotes a word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
