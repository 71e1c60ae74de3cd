package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// scriptVariable names the script that this test binary plays as an agent that
// speaks the Agent Client Protocol. A line of it is
//
//	< METHOD      waits for a message of this method from ripple; without METHOD, an answer
//	> JSON        prints it; {id} is the id of the last request that came
//	ok METHOD     is "< METHOD" and an empty result
//	begin         answers initialize and session/new, and waits for the prompt
//	text WORDS    a piece of the answer
//	stop REASON   answers the prompt
//	print TEXT    prints it, with escapes of Go
//	big N         prints a piece of the answer with N bytes
//	got           prints the last message, as a piece of the answer
//	deaf          no more signals
//	close         closes standard output
//	shut          closes standard input
//	child         starts a process that stays
//	stay          waits forever
//	exit N        ends
//
// After the last line it waits for the end of its input.
const scriptVariable = "ACP_SCRIPT"

type player struct {
	in   *bufio.Scanner
	last string
	id   json.RawMessage
	of   map[string]json.RawMessage // IDs, by method
}

func playScript(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	p := &player{in: bufio.NewScanner(os.Stdin), of: map[string]json.RawMessage{}}
	p.in.Buffer(nil, 64<<20)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			word, rest, _ := strings.Cut(line, " ")
			p.do(word, rest)
		}
	}
	for p.read() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(p.in.Bytes(), &m) == nil && m.Method == "_ripple/done" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`+"\n", m.ID)
		}
	}
	os.Exit(0)
}

func (p *player) read() bool { return p.in.Scan() }

func (p *player) do(word, rest string) {
	switch word {
	case "<":
		p.await(rest)
	case ">":
		fmt.Println(strings.ReplaceAll(rest, "{id}", string(p.id)))
	case "ok":
		p.await(rest)
		p.answer(`{}`)
	case "begin":
		p.await("initialize")
		p.answer(`{"protocolVersion":1,"agentInfo":{"name":"scripted","version":"1"},"agentCapabilities":{"loadSession":true}}`)
		p.await("session/new")
		p.answer(`{"sessionId":"s-1"}`)
		p.await("session/prompt")
	case "text":
		p.say(rest)
	case "stop":
		p.id = p.of["session/prompt"]
		p.answer(`{"stopReason":"` + rest + `"}`)
	case "print":
		text, err := strconv.Unquote(`"` + rest + `"`)
		p.must(err)
		fmt.Print(text)
	case "big":
		n, err := strconv.Atoi(rest)
		p.must(err)
		p.say(strings.Repeat("x", n))
	case "got":
		p.say(p.last + "\n")
	default:
		p.misbehave(word, rest)
	}
}

func (p *player) misbehave(word, rest string) {
	switch word {
	case "deaf":
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	case "close":
		p.must(os.Stdout.Close())
	case "shut":
		p.must(os.Stdin.Close())
	case "child":
		p.must(exec.Command("sleep", "1000").Start())
	case "stay":
		<-time.After(time.Hour) // select {} is a deadlock, which ends a program without cgo
	case "exit":
		n, err := strconv.Atoi(rest)
		p.must(err)
		os.Exit(n)
	default:
		p.must(fmt.Errorf("the script has the unknown word %q", word))
	}
}

func (p *player) must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// await skips messages until one has the method; "" is an answer.
func (p *player) await(method string) {
	for p.read() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		p.must(json.Unmarshal(p.in.Bytes(), &m))
		if m.Method == method {
			p.last = p.in.Text()
			if method != "" {
				p.id, p.of[method] = m.ID, m.ID
			}
			return
		}
	}
	os.Exit(0) // ripple closed the input
}

func (p *player) answer(result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", p.id, result)
}

func (p *player) say(text string) {
	b, err := json.Marshal(text)
	p.must(err)
	fmt.Printf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`+"\n", b)
}
