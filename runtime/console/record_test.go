package console

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readOutput(t *testing.T, dir string, from, end int64) (text string, skipped int64) {
	t.Helper()
	r, skipped, err := output(dir, from, end)
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(b), skipped
}

func TestOutputThroughSegments(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	block := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16) // 1 MB
	for range 20 {
		n, err := r.append(block)
		require.NoError(t, err)
		require.Len(t, block, n)
	}
	end, err := r.offset()
	require.NoError(t, err)
	require.Equal(t, int64(20<<20), end)
	for _, from := range []int64{0, segmentSize - 3, segmentSize, 2*segmentSize + 1, end - 5, end} {
		text, skipped := readOutput(t, dir, from, end)
		assert.Zero(t, skipped)
		assert.Len(t, text, int(end-from))
		whole := strings.Repeat(string(block), 2)
		at := from % 16
		assert.True(t, strings.HasPrefix(text, whole[at:at+min(20, end-from)]))
	}
}

func TestTheOldestOutputIsDropped(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	// the state after that much output, without writing it
	r.end = keptOutput
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(0)), nil, 0o600))
	_, err := r.append([]byte("new"))
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, segmentName(0)))
	text, skipped := readOutput(t, dir, 10, r.end)
	assert.Equal(t, "new", text)
	assert.Equal(t, int64(keptOutput-10), skipped)
}

// Output that cannot be written is held in memory and read from there until it can be written;
// beyond a limit it is lost, and the loss is reported.
func TestAFullDisk(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	read := func(from, end int64) string {
		in, _, err := r.output(from, end)
		require.NoError(t, err)
		b, err := io.ReadAll(in)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		return string(b)
	}
	put := func(text string, kept int, problem bool) {
		n, err := r.append([]byte(text))
		assert.Equal(t, kept, n)
		assert.Equal(t, problem, err != nil, "%v", err)
	}
	put("before", 6, false)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	room := r.file
	r.file = full
	put("held", 4, false)
	end, err := r.offset()
	assert.Equal(t, int64(10), end)
	require.ErrorContains(t, err, "no space left on device")
	assert.Equal(t, "beforeheld", read(0, 10))
	assert.Equal(t, "reh", read(4, 7))
	assert.Equal(t, "el", read(7, 9))
	much := strings.Repeat("x", keptMemory)
	put(much, keptMemory-4, true)
	put("y", 0, true)
	assert.Equal(t, "heldxx", read(6, 12))

	r.file = room
	put("after", 5, false)
	end, err = r.offset()
	require.NoError(t, err)
	assert.Equal(t, int64(6+keptMemory+5), end)
	assert.Equal(t, "xafter", read(end-6, end))
	text, _ := readOutput(t, dir, 0, end)
	assert.Equal(t, "beforeheld"+much[4:]+"after", text)
}

// A command knows the line from which on its output was lost.
func TestWhereOutputWasLost(t *testing.T) {
	r := newRecord(t, filepath.Join(privateDir(t), "r"))
	defer r.close()
	h := &host{record: r}
	cmd := &h.add("seq", "", 0).cmd
	h.print([]byte("1\n2"))
	room := r.file
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	r.file = full
	h.print([]byte(strings.Repeat("x", keptMemory-2) + "\ny\nz\n"))
	r.file = room
	h.print([]byte("\nafter\n"))
	assert.Equal(t, []int64{int64(len("y\nz\n") - 1), 3}, []int64{cmd.Lost, cmd.LostFrom})
	assert.Equal(t, int64(4), cmd.Lines)
	assert.Contains(t, cmd.LostReason, "no space left on device")
}

// An index line that could not be written leaves no fragment that would corrupt the next one.
func TestAFullDiskDoesNotCorruptTheIndex(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	r.command(Command{ID: 1})
	index := r.index
	var err error
	if r.index, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Skip(err)
	}
	r.command(Command{ID: 2})
	r.index = index
	r.command(Command{ID: 3})
	var ids []int
	require.NoError(t, eachCommand(dir, func(c Command) bool { ids = append(ids, c.ID); return true }))
	assert.Equal(t, []int{1, 3}, ids)
}

// A command's output ends where the next command begins, even if the next one starts before the end
// of the first is recorded.
func TestACommandIsRecordedAfterTheNextStarted(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	ended := time.Now()
	_, err := r.append([]byte("one\ntwo\n"))
	require.NoError(t, err)
	r.command(Command{ID: 1})
	r.command(Command{ID: 2, From: 4})
	r.command(Command{ID: 1, Bytes: 4, Lines: 1, Ended: &ended})
	one, err := lastCommand(dir, 1)
	require.NoError(t, err)
	require.NotNil(t, one)
	assert.Equal(t, int64(4), one.Bytes)
	assert.False(t, one.Running())
	two, err := lastCommand(dir, 2)
	require.NoError(t, err)
	assert.Equal(t, int64(4), two.Bytes)
}

// An index that cannot be made when the former one is full, as on a full disk, is made with a later command.
func TestAnIndexThatCannotBeMadeIsMadeLater(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	r.sized = keptIndex + 1
	away := dir + ".away"
	require.NoError(t, os.Rename(dir, away))
	r.command(Command{ID: 1, Code: "lost"})
	require.NoError(t, os.Rename(away, dir))
	r.command(Command{ID: 2, Code: "kept"})
	text, err := os.ReadFile(filepath.Join(dir, indexName))
	require.NoError(t, err)
	assert.Contains(t, string(text), "kept")
	assert.Equal(t, int64(len(text)), r.sized)
}

func TestTheIndexIsBounded(t *testing.T) {
	dir := filepath.Join(privateDir(t), "r")
	r := newRecord(t, dir)
	defer r.close()
	code := strings.Repeat("x", 1000)
	const commands = 6000
	for id := range commands {
		r.command(Command{ID: id + 1, Code: code})
	}
	var size int64
	for _, name := range []string{indexName, oldIndex} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		size += info.Size()
	}
	assert.Less(t, size, int64(2*keptIndex+4000))
	first, last := 0, 0
	require.NoError(t, eachCommand(dir, func(c Command) bool {
		if first == 0 {
			first = c.ID
		}
		assert.True(t, last == 0 || c.ID == last+1)
		last = c.ID
		return true
	}))
	assert.Equal(t, commands, last)
	assert.Greater(t, first, 1)
}

func TestSelectLines(t *testing.T) {
	long := strings.Repeat("y", maxLine+100)
	text := "one\ntwo\n\n" + long + "\nfive"
	for _, tt := range []struct {
		name string
		q    ReadRequest
		want []int64
	}{
		{"all", ReadRequest{}, []int64{1, 2, 3, 4, 5}},
		{"from", ReadRequest{From: 4}, []int64{4, 5}},
		{"a number", ReadRequest{From: 2, Lines: 2}, []int64{2, 3}},
		{"from the end", ReadRequest{From: -2}, []int64{4, 5}},
		{"more than there are", ReadRequest{From: -9}, []int64{1, 2, 3, 4, 5}},
		{"after the end", ReadRequest{From: 9}, nil},
		{"pattern", ReadRequest{Grep: "^(o|f)"}, []int64{1, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got Lines
			found, err := selectLines(strings.NewReader(text), tt.q, 1, 5, got.add)
			require.NoError(t, err)
			var numbers []int64
			for _, l := range got.Lines {
				numbers = append(numbers, l.Number)
				if l.Number == 4 {
					assert.Len(t, l.Text, maxLine)
					assert.Equal(t, int64(100), l.Cut)
				}
			}
			assert.Equal(t, tt.want, numbers)
			assert.Equal(t, int64(5), found.total)
		})
	}
	var f *Fault
	_, err := selectLines(strings.NewReader(text), ReadRequest{Grep: "("}, 1, 5, nil)
	require.ErrorAs(t, err, &f)
	assert.Equal(t, FaultBadRequest, f.Code)
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nb"), int64(1), int64(0))
	f.Add(bytes.Repeat([]byte("x"), maxLine+1), int64(-1), int64(1))
	f.Fuzz(func(t *testing.T, text []byte, from, lines int64) {
		var got Lines
		total := int64(bytes.Count(text, []byte("\n")))
		if len(text) > 0 && text[len(text)-1] != '\n' {
			total++
		}
		found, err := selectLines(bytes.NewReader(text), ReadRequest{From: from, Lines: lines}, 1, total, got.add)
		require.NoError(t, err)
		require.Equal(t, total, found.total)
		for _, l := range got.Lines {
			require.NotContains(t, l.Text, "\n")
			require.True(t, l.Number >= 1 && l.Number <= total)
		}
	})
}

func newRecord(t testing.TB, dir string) *record {
	require.NoError(t, os.Mkdir(dir, 0o700))
	r, err := openRecord(dir)
	require.NoError(t, err)
	return r
}

// privateDir returns a directory that other users cannot read.
func privateDir(t testing.TB) string {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	return dir
}
