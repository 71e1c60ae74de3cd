package browser

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed facts.js
var facts string

// box is a named part of a page, and how it is found.
type box struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
	Paint    string `json:"paint"`  // where the painted color is compared: paper (only light or dark, as the browser has it), corner, edge (the left one), middle; "": nowhere, because there may be letters
	Narrow   bool   `json:"narrow"` // as wide as its letters, so the width is not compared
}

// The parts whose position and colors are compared.
var (
	loopBoxes = []box{
		{"page", "body", "paper", true},
		{"main", "main", "", false},
		{"title", "h1", "", false},
		{"numbers", "dl", "", false},
		{"cost chart", "svg.cost", "", false},
		{"cost bar", ".cost rect", "middle", false},
		{"time chart", "svg.time", "", false},
		{"time bar", ".time rect", "middle", false},
		{"plan", "details.plan", "", false},
		{"turn", "article.went", "edge", false},
		{"turn's title", "article.went h2", "", false},
		{"text", ".say", "", false},
		{"code", "article pre", "", false},
		{"good", "article .good", "", true},
		{"bad", "article .bad", "", true},
		{"failed turn", "article.failed", "", false},
	}
	castBoxes = []box{
		{"page", "body", "paper", true},
		{"main", "main", "", false},
		{"title", "h1", "", false},
		{"screen", ".screen", "edge", false},
		{"text", ".screen pre", "", true},
		{"bar", ".bar", "", false},
		{"button", ".bar button", "", false},
	}
	svgBoxes = []box{{"picture", "svg", "", false}, {"paper", "rect", "corner", false}, {"text", "text", "", true}}
)

// layout is the result of facts.js.
type layout struct {
	Order []string // from top to bottom
	Facts []struct {
		Name                string
		There               bool
		Left, Width, Height *float64
		Color               string
		X, Y                *float64
		Paper               bool
	}
}

// compare compares the layout and the painted colors of a page with reviewed ones (-update writes them, and leaves the
// picture). Letters are not compared, because machines have different fonts.
func compare(t *testing.T, p *Page, name string, boxes []box) {
	t.Helper()
	names, err := json.Marshal(boxes)
	if err != nil {
		t.Fatal(err)
	}
	l := evaluate[layout](t, p, "("+facts+")("+string(names)+")")
	picture, err := p.Picture()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	got := l.text(seen)
	file := filepath.Join("testdata", "layout", name+".txt")
	if *update {
		shown := filepath.Join(os.TempDir(), name+".png")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644), os.WriteFile(shown, picture, 0o600)); err != nil {
			t.Fatal(err)
		}
		t.Log("look at", shown)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		shown := filepath.Join(os.TempDir(), name+".png")
		_ = os.WriteFile(shown, picture, 0o600) // for the reader; the test fails anyway
		t.Errorf("the layout is not that of %s (-update keeps it; the picture is %s):\n%s", file, shown, changed(string(want), got))
	}
}

// text formats a layout, one box per line.
func (l layout) text(seen image.Image) string {
	var b strings.Builder
	for _, f := range l.Facts {
		fmt.Fprintf(&b, "%s:", f.Name)
		if !f.There {
			b.WriteString(" not there\n")
			continue
		}
		for _, edge := range []struct {
			name  string
			value *float64
		}{{"left", f.Left}, {"width", f.Width}, {"height", f.Height}} {
			if edge.value != nil {
				fmt.Fprintf(&b, " %s %.0f", edge.name, *edge.value)
			}
		}
		fmt.Fprintf(&b, " color %s", f.Color)
		if f.X != nil && f.Y != nil {
			fmt.Fprintf(&b, " painted %s", painted(seen.At(int(*f.X), int(*f.Y)), f.Paper))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "from top to bottom: %s\n", strings.Join(l.Order, ", "))
	return b.String()
}

func painted(at color.Color, paper bool) string {
	if paper && color.GrayModel.Convert(at).(color.Gray).Y < 0x80 {
		return "dark"
	} else if paper {
		return "light"
	}
	c := color.NRGBAModel.Convert(at).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// changed returns the lines that differ.
func changed(want, got string) string {
	var b strings.Builder
	before, now := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(before), len(now)) {
		var was, is string
		if i < len(before) {
			was = before[i]
		}
		if i < len(now) {
			is = now[i]
		}
		if was != is {
			fmt.Fprintf(&b, "- %s\n+ %s\n", was, is)
		}
	}
	return b.String()
}
