//go:build unix

package agent_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// workDir creates a working directory for an agent, with files next to it that the agent must not
// reach.
func workDir(t *testing.T) (dir string) {
	t.Helper()
	around := t.TempDir()
	dir = filepath.Join(around, "work")
	for name, text := range map[string]string{
		"secret": "secret\n", "work/a.txt": "1\n2\n3\n", "work/sub/b.txt": "b", "work/bytes": "\xff\xfe",
	} {
		path := filepath.Join(around, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for name, to := range map[string]string{"out": around, "file": filepath.Join(around, "secret"), "new": filepath.Join(around, "made"), "in": filepath.Join(dir, "sub"), "near": "sub"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	return dir
}

// asksFor makes an agent send requests to its client, one after another, and returns the answers.
// {dir} stands for the directory.
func asksFor(t *testing.T, dir string, client schema.AgentClient, o agent.Options, requests ...string) []string {
	t.Helper()
	a := talking(t, "deny")
	a.Agent.ACP.Client = client
	var lines strings.Builder
	for i, r := range requests {
		method, params, _ := strings.Cut(r, " ")
		fmt.Fprintf(&lines, "> {\"jsonrpc\":\"2.0\",\"id\":\"w%d\",\"method\":%q,\"params\":{\"sessionId\":\"s-1\",%s}}\n<\ngot\n", i, method, params)
	}
	o.Dir, o.Env = dir, []string{script(t, "begin\n"+strings.ReplaceAll(lines.String(), "{dir}", dir)+"stop end_turn")}
	out, events := playIn(t.Context(), t, a, agent.Turn{Prompt: "go"}, o)
	require.Nil(t, out.Failure, "%v", out.Failure)
	var text strings.Builder
	for _, e := range events {
		text.WriteString(e.Text)
	}
	answers := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text.String(), dir, "{dir}"), "\n"), "\n")
	require.Len(t, answers, len(requests))
	for i, answer := range answers {
		answer = strings.TrimPrefix(answer, fmt.Sprintf(`{"jsonrpc":"2.0","id":"w%d",`, i))
		answers[i] = strings.TrimPrefix(strings.TrimSuffix(answer, "}"), `"result":`)
	}
	return answers
}

// Files that an agent may read and write through its client, and files that it may not.
func TestFilesOfAnAgent(t *testing.T) {
	const outside = `"error":{"code":-32602,"message":"outside of the directory that the agent works in`
	cases := map[string]string{
		`fs/read_text_file "path":"{dir}/a.txt"`:                              `{"content":"1\n2\n3\n"}`,
		`fs/read_text_file "path":"{dir}/a.txt","line":2`:                     `{"content":"2\n3\n"}`,
		`fs/read_text_file "path":"{dir}/a.txt","line":2,"limit":1`:           `{"content":"2\n"}`,
		`fs/read_text_file "path":"{dir}/a.txt","limit":0`:                    `{"content":""}`,
		`fs/read_text_file "path":"{dir}/a.txt","line":null`:                  `{"content":"1\n2\n3\n"}`,
		`fs/read_text_file "path":"{dir}/a.txt","line":9`:                     `{"content":""}`,
		`fs/read_text_file "path":"{dir}/big","line":524288`:                  `{"content":"0123456789abcde\n"}`,
		`fs/read_text_file "path":"{dir}/in/b.txt"`:                           `{"content":"b"}`,
		`fs/read_text_file "path":"{dir}/near/b.txt"`:                         `{"content":"b"}`,
		`fs/read_text_file "path":"{dir}/sub/../a.txt"`:                       `{"content":"1\n2\n3\n"}`,
		`fs/write_text_file "path":"{dir}/x/y/z.txt","content":"new"`:         `{}`,
		`fs/read_text_file "path":"{dir}/nothing"`:                            `"error":{"code":-32002,"message":"openat nothing: no such file or directory"}`,
		`fs/read_text_file "path":"{dir}/a.txt","line":-1`:                    `"error":{"code":-32602,"message":"invalid parameters for fs/read_text_file"}`,
		`fs/read_text_file "path":7`:                                          `"error":{"code":-32602,"message":"invalid parameters for fs/read_text_file"}`,
		`fs/read_text_file "path":"{dir}/big"`:                                `"error":{"code":-32602,"message":"{dir}/big: too much: it has more than 4194304 bytes; read it in parts, by line and limit"}`,
		`fs/read_text_file "path":"{dir}/bytes"`:                              `"error":{"code":-32602,"message":"{dir}/bytes: not text in UTF-8"}`,
		`fs/read_text_file "path":"{dir}/sub"`:                                `"error":{"code":-32602,"message":"sub is not text: it is not a file"}`,
		`fs/read_text_file "path":"{dir}/pipe"`:                               `"error":{"code":-32602,"message":"pipe is not text: it is not a file"}`,
		`fs/read_text_file "path":"a.txt"`:                                    outside + `: \"a.txt\" is not an absolute path"}`,
		`fs/read_text_file "path":"/etc/passwd"`:                              outside + `, {dir}: /etc/passwd"}`,
		`fs/read_text_file "path":"{dir}/../secret"`:                          outside + `, {dir}: {dir}/../secret"}`,
		`fs/read_text_file "path":"{dir}/out/secret"`:                         outside + `, {dir}: {dir}/out/secret"}`,
		`fs/read_text_file "path":"{dir}/file"`:                               outside + `, {dir}: {dir}/file"}`,
		`fs/write_text_file "path":"{dir}/file","content":"x"`:                outside + `, {dir}: {dir}/file"}`,
		`fs/write_text_file "path":"{dir}/out/made","content":"x"`:            outside + `, {dir}: {dir}/out/made"}`,
		`fs/write_text_file "path":"{dir}/../made","content":"x"`:             outside + `, {dir}: {dir}/../made"}`,
		`fs/write_text_file "path":"{dir}/sub","content":"x"`:                 `"error":{"code":-32603,"message":"openat sub: is a directory"}`,
		`fs/write_text_file "path":"{dir}/rm me","content":"x"`:               `"error":{"code":-32602,"message":"refused by a rule of the adapter, deny: write(*/rm me)"}`,
		`terminal/create "command":"rm","args":["-r","sub"]`:                  `"error":{"code":-32602,"message":"refused by a rule of the adapter, deny: bash(rm *)"}`,
		`terminal/create "command":"pwd","cwd":"{dir}/.."`:                    outside + `, {dir}: {dir}/.."}`,
		`terminal/create "command":"pwd","cwd":"{dir}/out"`:                   outside + `, {dir}: {dir}/out"}`,
		`terminal/create "command":"pwd","cwd":"{dir}/a.txt"`:                 `"error":{"code":-32603,"message":"{dir}/a.txt is not a directory"}`,
		`terminal/create "command":"no-such-program","args":["a"]`:            `"error":{"code":-32603,"message":"exec: \"no-such-program\": executable file not found in $PATH"}`,
		`terminal/output "terminalId":"terminal-1"`:                           `"error":{"code":-32002,"message":"there is no terminal \"terminal-1\": file does not exist"}`,
		`terminal/wait_for_exit "terminalId":"x"`:                             `"error":{"code":-32002,"message":"there is no terminal \"x\": file does not exist"}`,
		`fs/read_text_file "path":"{dir}/` + strings.Repeat("d/", 200) + `x"`: `"error":{"code":-32602,"message":"too much: more than 100 parts of the path do not exist"}`,
	}
	dir := workDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big"), []byte(strings.Repeat("0123456789abcde\n", 1<<19)), 0o600))
	requests := slices.Sorted(maps.Keys(cases))
	for i, got := range asksFor(t, dir, schema.AgentClient{FS: true, Terminal: true}, agent.Options{}, requests...) {
		assert.Equal(t, cases[requests[i]], got, "%.100s", requests[i])
	}
	assert.NoFileExists(t, filepath.Join(dir, "../made"))
	secret, err := os.ReadFile(filepath.Join(dir, "../secret"))
	require.NoError(t, err)
	assert.Equal(t, "secret\n", string(secret))
}

// A file is written completely or not at all, and keeps its mode.
func TestAFileIsReplaced(t *testing.T) {
	dir := workDir(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.txt"), 0o754))
	got := asksFor(t, dir, schema.AgentClient{FS: true}, agent.Options{},
		`fs/write_text_file "path":"{dir}/a.txt","content":"`+strings.Repeat("ä\\n", 100_000)+`"`,
		`fs/write_text_file "path":"{dir}/near/c.txt","content":""`,
		`fs/write_text_file "path":"{dir}/new","content":"here"`,
		`fs/write_text_file "path":"{dir}/b.txt","content":"`+strings.Repeat("x", 5<<20)+`"`,
		`fs/write_text_file "path":"{dir}/b.txt","content":"`+strings.Repeat("x", 9<<20)+`"`,
		`fs/write_text_file "path":"{dir}/c.txt","content":"`+strings.Repeat("x", 4<<20)+`"`,
	)
	assert.Equal(t, []string{
		`{}`, `{}`, `"error":{"code":-32603,"message":"openat new: path escapes from parent"}`,
		`"error":{"code":-32602,"message":"too much: the text has more than 4194304 bytes"}`,
		`"error":{"code":-32602,"message":"the message is too long: it did not arrive whole, and nothing was done"}`, `{}`,
	}, got)
	large, err := os.ReadFile(filepath.Join(dir, "c.txt"))
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("x", 4<<20), string(large), "none of it is left out")
	data, err := os.ReadFile(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("ä\n", 100_000), string(data))
	info, err := os.Stat(filepath.Join(dir, "a.txt"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o754), info.Mode())
	assert.FileExists(t, filepath.Join(dir, "sub/c.txt"))
	assert.NoFileExists(t, filepath.Join(dir, "b.txt"))
	drafts, err := filepath.Glob(filepath.Join(dir, ".ripple-tmp-*"))
	require.NoError(t, err)
	assert.Empty(t, drafts)
}

// The life of a command, and its reports.
func TestTerminalsOfAnAgent(t *testing.T) {
	const of = `"terminalId":"terminal-1"`
	for name, c := range map[string]struct{ create, want string }{
		"a program":             {`"command":"echo","args":["$HOME","b"]`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"$HOME b\n","truncated":false}`},
		"both streams":          {`"command":"sh","args":["-c","echo a; echo b >&2; exit 3"]`, `{"exitStatus":{"exitCode":3,"signal":null},"output":"a\nb\n","truncated":false}`},
		"a line":                {`"command":"cd sub && ls; echo $ME","env":[{"name":"ME","value":"me"}]`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"b.txt\nme\n","truncated":false}`},
		"a directory":           {`"command":"ls","cwd":"{dir}/near"`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"b.txt\n","truncated":false}`},
		"the agent's variables": {`"command":"printenv","args":["TERM"]`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"xterm-256color\n","truncated":false}`},
		"nothing to read":       {`"command":"cat"`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"","truncated":false}`},
		"by a signal":           {`"command":"sh","args":["-c","kill -9 $$"]`, `{"exitStatus":{"exitCode":null,"signal":"SIGKILL"},"output":"","truncated":false}`},
		"its end":               {`"command":"printf","args":["äöü"],"outputByteLimit":3`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"ü","truncated":true}`},
		"nothing of it":         {`"command":"printf","args":["äöü"],"outputByteLimit":0`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"","truncated":true}`},
		"a job that stays":      {`"command":"sleep 1000 & echo begun"`, `{"exitStatus":{"exitCode":0,"signal":null},"output":"begun\n","truncated":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := asksFor(t, workDir(t), schema.AgentClient{Terminal: true}, agent.Options{},
				"terminal/create "+c.create, "terminal/wait_for_exit "+of, "terminal/output "+of, "terminal/release "+of, "terminal/output "+of)
			assert.Equal(t, `{"terminalId":"terminal-1"}`, got[0])
			assert.Equal(t, c.want, got[2])
			assert.Contains(t, c.want, got[1], "the end")
			assert.Equal(t, `{}`, got[3])
			assert.Contains(t, got[4], "there is no terminal")
		})
	}
}

// Only a limited amount of a command's output is kept; the command is ended, with its child
// processes, on request and at the end of the turn.
func TestCommandsAreEnded(t *testing.T) {
	const of, endless = `"terminalId":"terminal-1"`, `terminal/create "command":"trap '' TERM; setsid sleep 1000 & yes"`
	dir := workDir(t)
	began := time.Now()
	got := asksFor(t, dir, schema.AgentClient{Terminal: true}, agent.Options{}, endless, "terminal/kill "+of, "terminal/wait_for_exit "+of, "terminal/output "+of)
	assert.Equal(t, []string{`{"terminalId":"terminal-1"}`, `{}`}, got[:2])
	// It may not have reached its trap yet, or may have reported that its child was killed before
	// it was killed itself.
	assert.Regexp(t, `^{"exitCode":(null,"signal":"SIG(KILL|TERM)"|137,"signal":null|143,"signal":null)}$`, got[2])
	assert.LessOrEqual(t, len(got[3]), 2<<20)
	got = asksFor(t, dir, schema.AgentClient{Terminal: true}, agent.Options{}, endless, endless) // playIn checks for leftover processes
	assert.Equal(t, `{"terminalId":"terminal-2"}`, got[1])
	assert.Less(t, time.Since(began), time.Minute)
}

// An agent receives only the capabilities that it was offered.
func TestNothingIsOffered(t *testing.T) {
	dir := workDir(t)
	for _, c := range []struct {
		client   schema.AgentClient
		file, op string
	}{
		{schema.AgentClient{}, "-32601", "-32601"},
		{schema.AgentClient{FS: true}, `{"content"`, "-32601"},
		{schema.AgentClient{Terminal: true}, "-32601", `{"terminalId"`},
	} {
		got := asksFor(t, dir, c.client, agent.Options{}, `fs/read_text_file "path":"{dir}/a.txt"`, `terminal/create "command":"true"`)
		assert.Contains(t, got[0], c.file)
		assert.Contains(t, got[1], c.op)
	}
}

// The output of a command is the result of its tool call, even if the terminal was released.
func TestACallOnATerminal(t *testing.T) {
	a := talking(t, "deny")
	a.Agent.ACP.Client.Terminal = true
	_, events := playIn(t.Context(), t, a, agent.Turn{Prompt: "go"}, agent.Options{Dir: workDir(t), Env: []string{script(t, `
begin
> {"jsonrpc":"2.0","id":"c","method":"terminal/create","params":{"sessionId":"s-1","command":"echo made"}}
<
> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"make","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"terminal-1"}]}}}
> {"jsonrpc":"2.0","id":"w","method":"terminal/wait_for_exit","params":{"sessionId":"s-1","terminalId":"terminal-1"}}
<
> {"jsonrpc":"2.0","id":"r","method":"terminal/release","params":{"sessionId":"s-1","terminalId":"terminal-1"}}
<
> {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}}
stop end_turn
`)}})
	assert.Contains(t, events, event.Event{Type: event.ToolResult, ID: "t", Content: "made\n"})
}

// A repeated request has one answer, and a withdrawn one has the answer for that.
func TestARequestComesTwice(t *testing.T) {
	a := talking(t, "deny")
	a.Agent.ACP.Client.Terminal = true
	wait := `> {"jsonrpc":"2.0","id":"w","method":"terminal/wait_for_exit","params":{"sessionId":"s-1","terminalId":"terminal-1"}}` + "\n"
	out, _ := playIn(t.Context(), t, a, agent.Turn{Prompt: "go"}, agent.Options{Dir: workDir(t), Env: []string{script(t, `
begin
> {"jsonrpc":"2.0","id":"c","method":"terminal/create","params":{"sessionId":"s-1","command":"sleep","args":["1000"]}}
<
`+wait+wait+`> {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"w"}}
<
got
> {"jsonrpc":"2.0","id":"k","method":"terminal/kill","params":{"sessionId":"s-1","terminalId":"terminal-1"}}
<
got
`+wait+`<
got
stop end_turn
`)}})
	assert.Equal(t, `{"jsonrpc":"2.0","id":"w","error":{"code":-32800,"message":"withdrawn"}}
{"jsonrpc":"2.0","id":"k","result":{}}
{"jsonrpc":"2.0","id":"w","result":{"exitCode":null,"signal":"SIGTERM"}}
`, out.Text)
}
