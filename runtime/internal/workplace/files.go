package workplace

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxText is how much of a file is read or written at once, in bytes.
const maxText = 4 << 20

// MaxMessage is how long a message with such a text may be, in bytes: characters become
// longer in JSON.
const MaxMessage = 2 * maxText

// Read returns the lines of a text file, from the line'th on, counted from 1, at most
// limit; nil: all. Errors: ErrOutside, ErrNoText, ErrTooMuch, those of the system.
func (p *Place) Read(path string, line, limit *int) (string, error) {
	root, rel, err := p.find(path)
	if err != nil {
		return "", err
	}
	f, err := openFile(root, rel, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read from
	text, err := lines(f, line, limit)
	if err == nil && !utf8.ValidString(text) {
		err = fmt.Errorf("%w in UTF-8", ErrNoText)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// openFile opens what is a file, and never waits for one that is a pipe.
func openFile(root *os.Root, rel string, flag int) (*os.File, error) {
	f, err := root.OpenFile(rel, flag|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %w: it is not a file", rel, ErrNoText)
	}
	if err != nil {
		_ = f.Close() // nothing was done to it
		return nil, err
	}
	return f, nil
}

// lines are some of a text, with their ends.
func lines(from io.Reader, line, limit *int) (string, error) {
	r := bufio.NewReader(from)
	if line != nil {
		for range *line - 1 {
			if err := skipLine(r); errors.Is(err, io.EOF) {
				return "", nil
			} else if err != nil {
				return "", err
			}
		}
	}
	var b strings.Builder
	for n := 0; limit == nil || n < *limit; {
		piece, err := r.ReadSlice('\n')
		b.Write(piece)
		switch {
		case b.Len() > maxText:
			return "", fmt.Errorf("%w: it has more than %d bytes; read it in parts, by line and limit", ErrTooMuch, maxText)
		case errors.Is(err, io.EOF):
			return b.String(), nil
		case err == nil:
			n++
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
	return b.String(), nil
}

func skipLine(r *bufio.Reader) (err error) {
	for err = bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull); {
		_, err = r.ReadSlice('\n')
	}
	return err
}

// Write makes a text what a file has, whole or not at all; the file and its directory are
// made where they are missing. Errors: ErrOutside, ErrNoText, ErrTooMuch, those of the
// system.
func (p *Place) Write(path, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("%w: the text has more than %d bytes", ErrTooMuch, maxText)
	}
	root, rel, err := p.find(path)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0) // as new files have it
	if f, err := openFile(root, rel, os.O_WRONLY); err == nil {
		info, err := f.Stat()
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return err
	}
	draft := filepath.Join(filepath.Dir(rel), ".ripple-tmp-"+rand.Text())
	if err = writeDraft(root, draft, text, mode); err == nil {
		err = root.Rename(draft, rel)
	}
	if err != nil {
		_ = root.Remove(draft) // it may not be there
	}
	return err
}

func writeDraft(root *os.Root, draft, text string, mode fs.FileMode) error {
	f, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	return errors.Join(err, f.Close())
}
