package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/projectfile"
)

// storeOf returns the store of a new project.
func storeOf(t *testing.T) *Store {
	t.Helper()
	project := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(project, layout.Dir), 0o700))
	return NewStore(project, nil)
}

func TestStoreReplacesWholeFiles(t *testing.T) {
	s := storeOf(t)
	require.NoError(t, s.WriteJSON("a.json", map[string]int{"n": 1}))
	require.NoError(t, s.WriteJSON("a.json", map[string]int{"n": 2}))
	data, err := os.ReadFile(s.Path("a.json"))
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"n\": 2\n}\n", string(data))
	names, err := os.ReadDir(s.Path(""))
	require.NoError(t, err)
	assert.Len(t, names, 1, "no temporary file stays")
}

func TestStoreKeepsTheOldFileWhenItCannotWrite(t *testing.T) {
	s := storeOf(t)
	require.NoError(t, os.Mkdir(s.Path("a"), 0o700)) // a file cannot replace a directory
	require.NoError(t, os.WriteFile(s.Path("a/keep"), nil, 0o600))
	err := s.Write("a", []byte("x"))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "writing "+s.Path("a"))
	left, err := filepath.Glob(s.Path(layout.TempMark + "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestStoreReadsExistingFiles(t *testing.T) {
	valid := func() bool { return true }
	tests := []struct {
		name, content  string
		valid          func() bool
		found, damaged bool
	}{
		{"good", `{"n": 3}`, valid, true, false},
		{"torn", `{"n": `, valid, false, true},
		{"empty", ``, valid, false, true},
		{"of another kind", `[1]`, valid, false, true},
		{"refused", `{"n": 3}`, func() bool { return false }, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storeOf(t)
			require.NoError(t, os.WriteFile(s.Path("f"), []byte(tt.content), 0o600))
			var v struct{ N int }
			found, damaged, err := s.ReadJSON("f", &v, tt.valid)
			require.NoError(t, err)
			assert.Equal(t, tt.found, found)
			if tt.damaged {
				assert.Equal(t, "f.corrupt", damaged)
				data, err := os.ReadFile(s.Path(damaged))
				require.NoError(t, err)
				assert.Equal(t, tt.content, string(data), "kept for inspection")
			}
		})
	}
	s := storeOf(t)
	found, damaged, err := s.ReadJSON("absent", new(int), valid)
	require.NoError(t, err)
	assert.False(t, found)
	assert.Empty(t, damaged)
}

func TestStoreText(t *testing.T) {
	s := storeOf(t)
	for content, want := range map[string]string{"id-1\r\n": "id-1", "id-2": "id-2", " \n": ""} {
		require.NoError(t, os.WriteFile(s.Path("id"), []byte(content), 0o600))
		got, err := s.ReadText("id")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	require.NoError(t, s.Remove("id"))
	require.NoError(t, s.Remove("id"))
	got, err := s.ReadText("id")
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestSweepRemovesTemporaryFiles(t *testing.T) {
	s := storeOf(t)
	require.NoError(t, os.WriteFile(s.Path(layout.TempMark+"1"), nil, 0o600))
	require.NoError(t, os.WriteFile(s.Path("mine"), nil, 0o600))
	require.NoError(t, s.Sweep())
	names, err := os.ReadDir(s.Path(""))
	require.NoError(t, err)
	require.Len(t, names, 1)
	assert.Equal(t, "mine", names[0].Name())
}

// Commands that answer an agent write temporary files while a loop starts: a listed file may be gone before it is removed.
func TestSweepIgnoresFilesThatAreGone(t *testing.T) {
	s := storeOf(t)
	for i := range 1000 {
		require.NoError(t, os.WriteFile(s.Path(fmt.Sprintf("%s%d", layout.TempMark, i)), nil, 0o600))
	}
	errs := make(chan error, 2)
	for range 2 {
		go func() { errs <- NewStore(s.project, nil).Sweep() }()
	}
	require.NoError(t, errors.Join(<-errs, <-errs))
}

func TestJournalRepairsATornEnd(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"empty", "", ""},
		{"whole", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n"},
		{"no line feed", "{\"a\":1}\n{\"a\":2}", "{\"a\":1}\n"},
		{"cut in the middle", "{\"a\":1}\n{\"a\"", "{\"a\":1}\n"},
		{"only a torn line", "{\"a\"", ""},
		{"zeros of a file system that lost the data", "{\"a\":1}\n\x00\x00\x00\x00", "{\"a\":1}\n"},
		{"zeros with a line feed", "{\"a\":1}\n\x00\x00\n", "{\"a\":1}\n"},
		{"a bad line further up stays", "oops\n{\"a\":1}\n", "oops\n{\"a\":1}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "j")
			require.NoError(t, os.WriteFile(path, []byte(tt.content), 0o600))
			j, err := openLines(projectfile.In(filepath.Dir(path), "."), filepath.Base(path))
			require.NoError(t, err)
			require.NoError(t, j.append([]byte("{\"new\":true}\n")))
			require.NoError(t, j.close())
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.want+"{\"new\":true}\n", string(data))
		})
	}
}

func TestJournalBackwards(t *testing.T) {
	j, err := openLines(projectfile.In(t.TempDir(), "."), "j")
	require.NoError(t, err)
	defer j.close()
	var want []string
	for i := range 2000 {
		line := fmt.Sprintf(`{"n":%d,"pad":%q}`, i, strings.Repeat("x", i%300))
		want = append([]string{line}, want...)
		require.NoError(t, j.append([]byte(line+"\n")))
	}
	var got []string
	require.NoError(t, j.backwards(func(line []byte, start int64) bool {
		at := make([]byte, len(line))
		_, err := j.f.ReadAt(at, start)
		require.NoError(t, err)
		require.Equal(t, string(line), string(at))
		got = append(got, string(line))
		return false
	}))
	assert.Equal(t, want, got)
	n := 0
	require.NoError(t, j.backwards(func([]byte, int64) bool { n++; return n == 3 }))
	assert.Equal(t, 3, n)
}

// A torn line of 60 MB is copied a few times, not once per 64 KB.
func TestJournalWithALongTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	long := append([]byte("{\"a\":1}\n{\"b\":\""), bytes.Repeat([]byte("x"), 60<<20)...)
	var lines []int
	file := &countedReads{ReaderAt: bytes.NewReader(long)}
	require.NoError(t, eachLineBackwards(file, int64(len(long)), func(line []byte, _ int64) bool {
		lines = append(lines, len(line))
		return false
	}))
	assert.Equal(t, []int{60<<20 + 6, 7}, lines)
	assert.Less(t, file.reads, 12, "each read copies what was read before")

	require.NoError(t, os.WriteFile(path, long, 0o600))
	j, err := openLines(projectfile.In(filepath.Dir(path), "."), filepath.Base(path))
	require.NoError(t, err)
	require.NoError(t, j.close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":1}\n", string(data))
}

type countedReads struct {
	io.ReaderAt
	reads int
}

func (c *countedReads) ReadAt(p []byte, at int64) (int, error) {
	c.reads++
	return c.ReaderAt.ReadAt(p, at)
}

func FuzzJournalRepair(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n{\"b\""))
	f.Add([]byte("\n\n{}\n\x00\n"))
	f.Add(bytes.Repeat([]byte("[1]\n"), 20000))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "j")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		j, err := openLines(projectfile.In(filepath.Dir(path), "."), filepath.Base(path))
		require.NoError(t, err)
		require.NoError(t, j.close())
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(content, kept), "nothing is invented")
		if len(kept) > 0 {
			require.True(t, bytes.HasSuffix(kept, []byte("\n")))
			lines := bytes.Split(kept[:len(kept)-1], []byte("\n"))
			require.True(t, json.Valid(lines[len(lines)-1]))
		}
		for line := range bytes.Lines(content[len(kept):]) {
			whole := bytes.HasSuffix(line, []byte("\n")) && json.Valid(line)
			require.False(t, whole, "a good line was cut off: %q", line)
		}
	})
}
