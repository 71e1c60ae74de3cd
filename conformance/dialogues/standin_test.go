package dialogues

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"example.com/ripple/schema"
)

// Environment variables for the stand-in.
const (
	dialogueFile = "DIALOGUE_FILE"
	dialogueAcks = "DIALOGUE_ACKS" // a socket that receives a byte for each byte read from the terminal
	dialogueCut  = "DIALOGUE_CUT"  // how the streams are cut
)

// Cuts of the streams; a positive number cuts each stream in two after that many bytes.
const (
	whole  = 0
	single = -1
)

// dialogue is a file of testdata.
type dialogue struct {
	Define  map[string]string // names for parts of streams; {nonce} is the session's
	Opening string            // output at the start
	Steps   []step
	Closing string // input that ends it
}

// step is one command: its exchanges, and the expected result of the session.
type step struct {
	Name      string
	Eval      string
	exchange  `yaml:",inline"`
	Then      []exchange
	Unsent    bool   // it is refused before a byte is sent
	Interrupt string // interrupt it once the output contains this text
	Want      want
}

// exchange is input to the program and the output after it, as the program writes it: the terminal
// turns
//
//	into \r
//
// .
type exchange struct {
	Sent   string // {path} is a file with the content File; empty: the command and a line ending
	File   string
	Signal bool // an interrupt instead of input
	Stream string
}

// want is the expected result of a command.
type want struct {
	Output      string
	CompletedBy string `yaml:"completed_by"`
	Mode        string
	Level       *int
	Code        *int
	Cwd         string
	Error       bool
	Incomplete  bool
}

func (s step) exchanges() []exchange {
	if s.Unsent {
		return nil
	}
	first := s.exchange
	if first.Sent == "" {
		first.Sent = s.Eval + "\n"
	}
	return append([]exchange{first}, s.Then...)
}

func load(path string) (dialogue, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return dialogue{}, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var doc dialogue
	return doc, d.Decode(&doc)
}

// The test binary also runs as the stand-in.
func TestMain(m *testing.M) {
	path := os.Getenv(dialogueFile)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := replay(path); err != nil {
		fmt.Println("the stand-in:", err)
		os.Exit(97)
	}
}

func replay(path string) error {
	doc, err := load(path)
	if err != nil {
		return err
	}
	p := player{in: bufio.NewReader(os.Stdin), signals: make(chan os.Signal, 1)}
	signal.Notify(p.signals, os.Interrupt)
	if p.acks, err = net.Dial("unix", os.Getenv(dialogueAcks)); err != nil {
		return err
	}
	if p.cut, err = strconv.Atoi(os.Getenv(dialogueCut)); err != nil {
		return err
	}
	if p.values, err = values(doc.Define); err != nil {
		return err
	}
	if err := p.say(doc.Opening); err != nil {
		return err
	}
	for _, s := range doc.Steps {
		for _, e := range s.exchanges() {
			if err := p.exchange(e); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return p.hear(doc.Closing, "")
}

// staged matches a script in the command line: a program that reads it learns the nonce.
var (
	staged = regexp.MustCompile(`/[^\s'"]*/\.ripple-integration-[^\s'"]*`)
	nonce  = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
)

// values returns the values of the names in braces in a stream.
func values(define map[string]string) (map[string]string, error) {
	known := map[string]string{}
	if script := staged.FindString(strings.Join(os.Args, " ")); script != "" {
		body, err := os.ReadFile(script)
		if err != nil {
			return nil, err
		}
		known["nonce"] = nonce.FindString(string(body))
	}
	all := map[string]string{}
	for name, text := range define {
		all[name] = schema.Expand(text, known)
	}
	for name, text := range known {
		all[name] = text
	}
	return all, nil
}

// player is a program that follows a script of input and output.
type player struct {
	in      *bufio.Reader
	acks    net.Conn
	signals chan os.Signal
	values  map[string]string
	cut     int
}

func (p *player) exchange(e exchange) error {
	if e.Signal {
		<-p.signals
	} else if err := p.hear(e.Sent, e.File); err != nil {
		return err
	}
	return p.say(e.Stream)
}

// The query for the cursor position (ECMA-48 DSR 6), and the answer: the program waits for it.
const (
	askCursor = "\x1b[6n"
	cursor    = "\x1b[1;1R"
)

// say writes a stream. Each part is read by the session before the next one is written.
func (p *player) say(stream string) error {
	for part := range strings.SplitAfterSeq(schema.Expand(stream, p.values), askCursor) {
		for _, piece := range pieces(part, p.cut) {
			if _, err := os.Stdout.WriteString(piece); err != nil {
				return err
			}
			n := len(piece) + strings.Count(piece, "\n") // each is \r
			//  on the other side
			if _, err := io.CopyN(io.Discard, p.acks, int64(n)); err != nil {
				return err
			}
		}
		if strings.HasSuffix(part, askCursor) {
			if err := p.hear(cursor, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func pieces(s string, cut int) []string {
	switch {
	case cut == single:
		all := make([]string, len(s))
		for i := range len(s) {
			all[i] = s[i : i+1]
		}
		return all
	case cut > 0 && cut < len(s):
		return []string{s[:cut], s[cut:]}
	}
	return []string{s}
}

// hear reads input and compares it.
func (p *player) hear(want, content string) error {
	var got []byte
	for lines := strings.Count(want, "\n"); lines > 0 || !strings.HasSuffix(want, "\n") && len(got) < len(want); {
		c, err := p.in.ReadByte()
		if err != nil {
			return fmt.Errorf("wanted %q, got %q: %w", want, got, err)
		}
		if got = append(got, c); c == '\n' {
			lines--
		}
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), `\{path\}`, `([^'"]+)`)
	m := regexp.MustCompile(`\A` + pattern + `\z`).FindSubmatch(got)
	switch {
	case m == nil:
		return fmt.Errorf("wanted %q, got %q", want, got)
	case len(m) == 1:
		return nil
	}
	body, err := os.ReadFile(string(m[1]))
	if err == nil && string(body) != content {
		err = fmt.Errorf("wanted %q in the file, got %q", content, body)
	}
	return err
}

func TestPieces(t *testing.T) {
	require.Equal(t, []string{"abc"}, pieces("abc", whole))
	require.Equal(t, []string{"a", "b", "c"}, pieces("abc", single))
	require.Equal(t, []string{"a", "bc"}, pieces("abc", 1))
	require.Equal(t, []string{"abc"}, pieces("abc", 3))
}
