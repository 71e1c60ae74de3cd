package htmlpage

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/cast"
)

const evil = `</script></title></text><script>alert(1)</script>"'><img src=x onerror=alert(1)><!-- ` + "\u202e"

func recorded(pieces ...string) *cast.Recording {
	r := cast.New(100, 6, 0)
	for i, p := range pieces {
		r.Output(time.Duration(i)*time.Second, []byte(p))
	}
	return r.Finish(time.Duration(len(pieces)) * time.Second)
}

func recordingPage(t *testing.T, write func(io.Writer, string, *cast.Recording) error, title string, f *cast.Recording) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, write(&b, title, f))
	return b.String()
}

// The page contains the recording as data: what was shown, when, and in which style.
func TestRecording(t *testing.T) {
	html := recordingPage(t, WriteRecording, "a title", recorded("\x1b[?25lone", "\x1b[2;3H\x1b[1;4;31mtwo"))
	found := regexp.MustCompile(`(?s)<script type="application/json" id="recording">(.*?)</script>`).FindStringSubmatch(html)
	require.NotNil(t, found)
	assert.JSONEq(t, `{"cols":5,"rows":2,"length":2000,
		"styles":[{},{"color":"#e05561","fontWeight":"bold","textDecoration":"underline"}],
		"frames":[[0,[[0,[[0,3,"one",0]]]]],[1000,[[1,[[2,3,"two",1]]]]]]}`, found[1])
	assert.Contains(t, html, "<title>a title</title>")
	assert.Contains(t, html, "script-src "+strings.ReplaceAll(hashSource(recordingScript), "'", "&#39;"))
}

// Whatever was shown is text.
func TestRecordedTextIsNotMarkup(t *testing.T) {
	html := recordingPage(t, WriteRecording, evil, recorded(evil))
	assert.Equal(t, 2, strings.Count(html, "<script"), "the recording and the player")
	assert.NotContains(t, html, "<img")
	assert.NotContains(t, html, "\u202e")
	found := regexp.MustCompile(`(?s)<script type="application/json" id="recording">(.*?)</script>`).FindStringSubmatch(html)
	var d recordingData
	require.NoError(t, json.Unmarshal([]byte(found[1]), &d))
	assert.Contains(t, fmt.Sprint(d.Frames), "<img src=x")
}

// The picture is XML with our elements alone, and its last frame is what is shown where
// nothing moves.
func TestRecordingSVG(t *testing.T) {
	svg := recordingPage(t, WriteRecordingSVG, evil, recorded("\x1b[?25l"+evil, "\x1b[2J\x1b[H\x1b[44mlast", "\x1b[3;1Hmore"))
	d := xml.NewDecoder(strings.NewReader(svg))
	var still, moving []string
	hidden := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			require.Contains(t, []string{"svg", "title", "rect", "animate", "g", "set", "text"}, e.Name.Local)
			for _, a := range e.Attr {
				require.NotRegexp(t, `^on|href|style`, a.Name.Local)
				if a.Name.Local == "visibility" {
					hidden++
				}
			}
			if e.Name.Local == "text" {
				text, err := d.Token()
				require.NoError(t, err)
				if hidden > 0 {
					moving = append(moving, string(text.(xml.CharData)))
				} else {
					still = append(still, string(text.(xml.CharData)))
				}
			}
		case xml.EndElement:
			if e.Name.Local == "g" {
				hidden = 0
			}
		}
	}
	assert.Equal(t, []string{"last", "more"}, still)
	require.Len(t, moving, 1)
	assert.Contains(t, moving[0], "<script>alert(1)</script>")
	assert.Contains(t, svg, `<set attributeName="visibility" to="visible" begin="clock.begin+0.000s" dur="1.000s">`)
	assert.Contains(t, svg, `<set attributeName="visibility" to="hidden" begin="clock.begin" dur="2.000s">`)
	assert.Contains(t, svg, `fill="#4aa5f0"`)
}

func TestWideCharactersHaveTheirCells(t *testing.T) {
	style := cast.Style{Bold: true}
	for _, tt := range []struct{ run, want []cast.Run }{
		{[]cast.Run{{Column: 3, Width: 4, Text: "日本", Style: style}}, []cast.Run{{Column: 3, Width: 2, Text: "日", Style: style}, {Column: 5, Width: 2, Text: "本", Style: style}}},
		{[]cast.Run{{Column: 3, Width: 2, Text: "ab"}}, []cast.Run{{Column: 3, Width: 2, Text: "ab"}}},
		{[]cast.Run{{Width: 4, Text: "👩‍👧日"}}, []cast.Run{{Width: 4, Text: "👩‍👧日"}}},
	} {
		assert.Equal(t, tt.want, apart(tt.run[0]))
	}
}
