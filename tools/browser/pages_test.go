package browser

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures again")

//go:embed look.js
var look string

// one is the browser of all tests, which open their own tabs: starting it takes a second or two.
var one struct {
	once    sync.Once
	browser context.Context
	end     func()
	err     error
}

// start returns the browser, or skips the test if there is none.
func start(t testing.TB) context.Context {
	t.Helper()
	one.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		browser, end, err := Start(ctx)
		if err != nil {
			cancel()
			one.err = err
			return
		}
		one.browser, one.end = browser, func() { end(); cancel() }
	})
	if errors.Is(one.err, ErrNone) {
		t.Skip(one.err)
	}
	if one.err != nil {
		t.Fatal(one.err)
	}
	return one.browser
}

// binary returns the ripple command of this checkout.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "ripple-pages-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "ripple")
	build := exec.Command("go", "build", "-o", binary, "./cmd/ripple")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%s: %v\n%s", build, err, out))
	}
	code := m.Run()
	if one.end != nil {
		one.end()
	}
	_ = os.RemoveAll(dir) // best effort
	os.Exit(code)
}

// ripple runs the command.
func ripple(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
		t.Fatalf("ripple %q: %v\n%s", args, err, out)
	}
}

func open(t testing.TB, browser context.Context, file string, as Look) *Page {
	t.Helper()
	p, err := Open(browser, file, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func evaluate[T any](t testing.TB, p *Page, script string) T {
	t.Helper()
	v, err := Evaluate[T](p, script)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

// sound fails the test for every fault in the layout of a page and in its actions.
func sound(t *testing.T, p *Page) {
	t.Helper()
	for _, wrong := range append(evaluate[[]string](t, p, look), p.Troubles()...) {
		t.Error(wrong)
	}
}

// A loop's page works on every screen, with all parts folded and with all parts open.
func TestLoopPage(t *testing.T) {
	browser := start(t)
	file := filepath.Join(t.TempDir(), "loop.html")
	ripple(t, "replay", "--html", file, filepath.Join("testdata", "loop", "events.jsonl"))
	for _, as := range Looks {
		t.Run(as.Name, func(t *testing.T) {
			p := open(t, browser, file, as)
			sound(t, p)
			compare(t, p, "loop-"+as.Name, loopBoxes)
			evaluate[any](t, p, `document.querySelectorAll("details").forEach((d) => { d.open = true; }); null`)
			sound(t, p)
		})
	}
}

// Its keys move between the turns and open folded parts.
func TestLoopPageKeys(t *testing.T) {
	browser := start(t)
	file := filepath.Join(t.TempDir(), "loop.html")
	ripple(t, "replay", "--html", file, filepath.Join("testdata", "loop", "events.jsonl"))
	p := open(t, browser, file, Looks[0])
	for _, step := range []struct{ keys, at, open string }{
		{"j", "turn-1", "0"}, {"jj", "turn-3", "0"}, {"k", "turn-2", "0"}, {"o", "turn-2", "5"}, {"o", "turn-2", "0"}, {"kkk", "turn-1", "0"},
	} {
		if err := chromedp.Do(p, chromedp.KeyEvent(step.keys)); err != nil {
			t.Fatal(err)
		}
		if at := evaluate[string](t, p, `document.activeElement.id`); at != step.at {
			t.Errorf("after %q it is at %s, not at %s", step.keys, at, step.at)
		}
		if open := evaluate[string](t, p, `String(document.querySelectorAll("details[open]").length)`); open != step.open {
			t.Errorf("after %q %s are open, not %s", step.keys, open, step.open)
		}
		if top := evaluate[float64](t, p, `document.activeElement.getBoundingClientRect().top`); top < -1 || top > 800 {
			t.Errorf("after %q the turn is not in sight, but at %v", step.keys, top)
		}
	}
}

// A recording's page shows its end, works on every screen, and plays from the beginning.
func TestCastPage(t *testing.T) {
	browser := start(t)
	file := filepath.Join(t.TempDir(), "session.html")
	ripple(t, "console", "record", "--from", filepath.Join("testdata", "session.cast"), "--html", file)
	for _, as := range Looks {
		t.Run(as.Name, func(t *testing.T) {
			p := open(t, browser, file, as)
			sound(t, p)
			compare(t, p, "cast-"+as.Name, castBoxes)
		})
	}
	p := open(t, browser, file, Looks[0])
	text := func() string { return evaluate[string](t, p, `document.getElementById("screen").innerText`) }
	if shown := text(); !strings.Contains(shown, "FAIL\truntime/loop") && !strings.Contains(shown, "FAIL    runtime/loop") || !strings.Contains(shown, "<b>not bold</b>") {
		t.Errorf("its end is not shown, but %q", shown)
	}
	evaluate[any](t, p, `{ const at = document.getElementById("at"); at.value = 300; at.dispatchEvent(new Event("input")); } null`)
	if shown := strings.TrimSpace(text()); shown != "$ go" {
		t.Errorf("after 0.3 s %q is shown", shown)
	}
	if err := chromedp.Do(p, chromedp.KeyEvent(" ")); err != nil {
		t.Fatal(err)
	}
	evaluate[any](t, p, `new Promise((done) => { // it continues to play, and ends
		const look = () => document.getElementById("play").textContent === "play" ? done(null) : requestAnimationFrame(look);
		look();
	})`)
	if shown := text(); !strings.Contains(shown, "100 %") {
		t.Errorf("when it has played %q is shown", shown)
	}
	for _, trouble := range p.Troubles() {
		t.Error(trouble)
	}
}

// Chromium draws the animated picture, and it moves.
func TestCastPicture(t *testing.T) {
	browser := start(t)
	file := filepath.Join(t.TempDir(), "session.svg")
	ripple(t, "console", "record", "--from", filepath.Join("testdata", "session.cast"), "--svg", file)
	p := open(t, browser, file, Looks[0])
	at := func(seconds float64) string {
		return evaluate[string](t, p, fmt.Sprintf(`(() => {
			const svg = document.documentElement;
			svg.pauseAnimations();
			svg.setCurrentTime(%v);
			return [...svg.querySelectorAll("text")].filter((t) => getComputedStyle(t).visibility === "visible").map((t) => t.textContent).join("|");
		})()`, seconds))
	}
	if shown := at(0.3); !strings.HasPrefix(shown, "$ go") || strings.Contains(shown, "FAIL") {
		t.Errorf("after 0.3 s %q is shown", shown)
	}
	if shown := at(5.5); !strings.Contains(shown, "FAIL") || !strings.Contains(shown, "100 %") {
		t.Errorf("at its end %q is shown", shown)
	}
	compare(t, p, "cast-svg", svgBoxes)
	for _, trouble := range p.Troubles() {
		t.Error(trouble)
	}
}

// The documents' pages fit a desktop and a phone, and load only the site's own pictures.
func TestSite(t *testing.T) {
	browser := start(t)
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "../site", "../..", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, as := range []Look{Looks[1], Looks[2]} {
		for _, name := range []string{"index.html", "docs/consoles.html", "SCHEMA.html"} {
			t.Run(as.Name+"/"+name, func(t *testing.T) {
				p := open(t, browser, filepath.Join(dir, name), as)
				wrong := slices.DeleteFunc(append(evaluate[[]string](t, p, look), p.Troubles()...), func(trouble string) bool {
					return strings.HasPrefix(trouble, "it asks for file://"+dir+"/docs/") && strings.HasSuffix(trouble, ".svg")
				})
				for _, w := range wrong {
					t.Error(w)
				}
			})
		}
	}
}

// long writes the given number of events of a loop, with much text.
func long(t testing.TB, events int) string {
	t.Helper()
	var b bytes.Buffer
	for n := range events {
		turn := n/50 + 1
		line := map[string]any{"seq": n + 1, "turn": turn, "time": time.Unix(int64(1_700_000_000+n), 0).UTC()}
		switch n % 50 {
		case 0:
			line["type"], line["agent"], line["task"] = "turn_started", "claude", "The next part"
		case 49:
			line["type"], line["progress"] = "turn_ended", true
		default:
			line["id"] = fmt.Sprint((n - 1) / 2)
			if n%2 == 0 {
				line["type"], line["content"] = "tool_result", strings.Repeat("a line of what it printed\n", 20)
			} else {
				line["type"], line["name"], line["input"] = "tool_use", "Bash", map[string]string{"command": "go test ./..."}
			}
		}
		if err := json.NewEncoder(&b).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A page of 10,000 events is smaller than 5 MB and works on a phone.
func TestLongLoopPage(t *testing.T) {
	browser := start(t)
	file := filepath.Join(t.TempDir(), "loop.html")
	ripple(t, "replay", "--html", file, long(t, 10_000))
	if info, err := os.Stat(file); err != nil || info.Size() > 5_000_000 {
		t.Fatalf("the page has %d bytes (%v)", info.Size(), err)
	}
	p := open(t, browser, file, Looks[2])
	if wide := evaluate[int](t, p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("it scrolls sideways: %d pixels", wide)
	}
	for _, trouble := range p.Troubles() {
		t.Error(trouble)
	}
	if turns := evaluate[int](t, p, `document.querySelectorAll("article").length`); turns != 200 {
		t.Errorf("it has %d turns, not 200", turns)
	}
}

// The time for a frame while a page of 10,000 events is scrolled, and the time until the page is open.
func BenchmarkScroll(b *testing.B) {
	browser := start(b)
	file := filepath.Join(b.TempDir(), "loop.html")
	ripple(b, "replay", "--html", file, long(b, 10_000))
	for _, as := range []Look{Looks[0], Looks[2]} {
		b.Run(as.Name, func(b *testing.B) {
			for b.Loop() {
				p := open(b, browser, file, as)
				b.ReportMetric(evaluate[float64](b, p, `performance.getEntriesByType("navigation")[0].loadEventEnd`), "open-ms")
				frames := evaluate[[]float64](b, p, `new Promise((done) => {
					const took = [];
					let last;
					const step = (now) => {
						if (last) took.push(now - last);
						last = now;
						window.scrollBy(0, 300);
						if (took.length < 240) requestAnimationFrame(step); else done(took.sort((a, b) => a - b));
					};
					requestAnimationFrame(step);
				})`)
				b.ReportMetric(frames[len(frames)/2], "p50-ms/frame")
				b.ReportMetric(frames[len(frames)*95/100], "p95-ms/frame")
				b.ReportMetric(frames[len(frames)-1], "max-ms/frame")
				p.Close()
			}
		})
	}
}
