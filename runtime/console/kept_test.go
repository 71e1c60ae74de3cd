package console

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console/place"
)

// clientWithDroppedOutput returns a client whose record has lost its first segment, and a command whose output began
// in it: lines of eight bytes.
func clientWithDroppedOutput(t *testing.T) (*Client, Command) {
	dir := t.TempDir()
	const (
		lines = segmentSize/8 + 100
		shift = 3                 // a line crosses the border of the segments
		lost  = segmentSize/8 - 1 // lines that are whole in the first segment
	)
	var text bytes.Buffer
	for i := lost; i < lines; i++ {
		fmt.Fprintf(&text, "%07d\n", i+1)
	}
	text.Next(segmentSize - shift - 8*lost)
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(segmentSize)), text.Bytes(), 0o600))
	return &Client{files: place.Files{Record: dir}}, Command{ID: 2, From: shift, Bytes: 8 * lines, Lines: lines}
}

// Line numbers do not depend on how much of the output is still kept, and negative numbers count
// from the end.
func TestLinesKeepTheirNumbers(t *testing.T) {
	c, cmd := clientWithDroppedOutput(t)
	last := fmt.Sprintf("%07d", cmd.Lines)
	for _, tt := range []struct {
		q    ReadRequest
		want []Line
	}{
		{ReadRequest{From: -1}, []Line{{Number: cmd.Lines, Text: last}}},
		{ReadRequest{From: cmd.Lines}, []Line{{Number: cmd.Lines, Text: last}}},
		{ReadRequest{From: 1, Grep: "^" + last}, []Line{{Number: cmd.Lines, Text: last}}},
		{ReadRequest{From: 1, Lines: 1}, []Line{{Number: segmentSize/8 + 1, Text: fmt.Sprintf("%07d", segmentSize/8+1)}}},
	} {
		got, err := c.Lines(cmd, tt.q)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.Lines)
		assert.Equal(t, cmd.Lines, got.Total)
		assert.Equal(t, int64(segmentSize), got.Dropped)
	}
}

// If no output of a command is kept, Dropped is the size of its output.
func TestDroppedOutput(t *testing.T) {
	c, _ := clientWithDroppedOutput(t)
	got, err := c.Lines(Command{ID: 1, From: 10, Bytes: 100, Lines: 5}, ReadRequest{From: 1})
	require.NoError(t, err)
	assert.Empty(t, got.Lines)
	assert.Equal(t, int64(100), got.Dropped)
}

// A line that is longer than the display limit can be read in parts.
func TestALongLineIsReadInParts(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000)
	var all string
	for column := int64(0); column < int64(len(long)); {
		line, cut, err := boundedLine(bufio.NewReaderSize(strings.NewReader(long+"\nnext\n"), maxLine), column)
		require.NoError(t, err)
		require.LessOrEqual(t, len(line), maxLine)
		all += string(line)
		column += int64(len(line))
		require.Equal(t, int64(len(long))-column, cut)
	}
	assert.Equal(t, long, all)
	in := bufio.NewReaderSize(strings.NewReader(long+"\nnext\n"), maxLine)
	for _, want := range []string{"", "t", ""} {
		line, _, _ := boundedLine(in, int64(len(long)))
		if want == "t" {
			line, _, _ = boundedLine(bufio.NewReaderSize(strings.NewReader("next\n"), maxLine), 3)
		}
		assert.Equal(t, want, string(line))
	}
	_, _, err := boundedLine(in, 0)
	assert.ErrorIs(t, err, io.EOF)
}

// A gap in streamed output is on a line of its own.
func TestAGapInTheOutput(t *testing.T) {
	var got []piece
	f := &follower{from: 100, sent: 'x', send: func(p piece) error { got = append(got, p); return nil }}
	require.NoError(t, f.gap(bufio.NewReaderSize(strings.NewReader("half\nwhole\n"), maxLine), 50))
	assert.Equal(t, []piece{{Output: "\n", Gap: &Gap{At: 100, Bytes: 55}}}, got)
	assert.Equal(t, []int64{155, 55, 100}, []int64{f.from, f.dropped, f.droppedAt})
}

// With Byte, lines are counted from that byte on, also from the end.
func TestTheLastLinesAfterAByte(t *testing.T) {
	c, cmd := clientWithDroppedOutput(t)
	last := fmt.Sprintf("%07d", cmd.Lines)
	got, err := c.Lines(cmd, ReadRequest{From: -1, Byte: cmd.Bytes - 10*8})
	require.NoError(t, err)
	assert.Equal(t, []Line{{Number: 10, Text: last}}, got.Lines)
	assert.Equal(t, int64(10), got.Total)
}

// A follower of output of which nothing is kept gets one gap.
func TestDroppedOutputIsFollowed(t *testing.T) {
	c, cmd := clientWithDroppedOutput(t)
	var got []piece
	r := &run{cmd: Command{From: 10, Bytes: 100}}
	h := &host{record: &record{dir: c.files.Record, end: cmd.From + cmd.Bytes}}
	f := &follower{h: h, run: r, send: func(p piece) error { got = append(got, p); return nil }}
	for range 2 {
		require.NoError(t, f.flush())
	}
	assert.Equal(t, []piece{{Gap: &Gap{Bytes: 100}}}, got)
}

// A read reports output that is missing if it was requested.
func TestMissingOutput(t *testing.T) {
	c, cmd := clientWithDroppedOutput(t)
	dropped := fmt.Sprintf("the first %d bytes of its output are no longer kept", segmentSize)
	lost := "7 bytes of its output were lost: no space"
	cmd.Lost, cmd.LostReason, cmd.LostFrom = 7, "no space", cmd.Lines-50
	kept := cmd.Lines - 90 // a line that is kept
	for _, tt := range []struct {
		q    ReadRequest
		want string
	}{
		{ReadRequest{}, dropped + "; " + lost},
		{ReadRequest{From: 5, Lines: 2}, dropped},
		{ReadRequest{From: kept}, lost},
		{ReadRequest{From: kept, Lines: 2}, ""},
		{ReadRequest{From: cmd.LostFrom - 1, Lines: 1}, ""},
		{ReadRequest{From: cmd.LostFrom, Lines: 1}, lost},
		{ReadRequest{From: -2}, lost},
		{ReadRequest{From: -2, Lines: 1}, lost},
		{ReadRequest{From: cmd.Lines + 10, Lines: 2}, lost},
		{ReadRequest{From: kept, Grep: "nothing"}, lost},
	} {
		got, err := c.Lines(cmd, tt.q)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.Missing, "%+v", tt.q)
	}
	got, err := c.Lines(Command{ID: 1, From: 10, Bytes: 100, Lines: 5}, ReadRequest{From: 9})
	require.NoError(t, err)
	assert.Equal(t, "the output of command 1, 100 bytes, is no longer kept", got.Missing)
	got, err = c.Lines(Command{ID: 1, Lost: 7, LostReason: "no space", LostFrom: 1}, ReadRequest{From: 1, Lines: 5})
	require.NoError(t, err)
	assert.Equal(t, lost, got.Missing, "nothing of it was stored")
}

// A read reports output that only the host still has, if that does not tell it.
func TestOutputThatTheHostHolds(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(0)), []byte("one\ntwo\nth"), 0o600))
	c := newClient(Status{Name: "a"}, place.Files{Record: dir, Socket: filepath.Join(dir, "socket"), Lock: filepath.Join(dir, "lock")})
	cmd := Command{ID: 1, Bytes: 14, Lines: 3}
	for q, missing := range map[ReadRequest]bool{{}: true, {From: 1, Lines: 1}: false, {From: 2, Lines: 1}: false, {From: 3, Lines: 1}: true, {From: -1}: true, {Byte: 4}: true} {
		got, err := c.Lines(cmd, q)
		require.NoError(t, err)
		if missing {
			assert.Contains(t, got.Missing, "the last 4 bytes of its output were only in the memory of the console's host: ", "%+v", q)
		} else {
			assert.Empty(t, got.Missing, "%+v", q)
		}
	}
}

// An answer that is full continues where the next read begins, also before a long line.
func TestAFullAnswerHasNoGaps(t *testing.T) {
	var got Lines
	long := strings.Repeat("x", maxText-10)
	for i, text := range []string{"a", long, "a line that does not fit", "b"} {
		require.NoError(t, got.add(Line{Number: int64(i + 1), Text: text}))
	}
	assert.Len(t, got.Lines, 2)
	assert.True(t, got.More)
}
