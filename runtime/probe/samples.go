package probe

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// eachVariant tries the variants of a sample until one works.
func eachVariant(ctx context.Context, l *lab, t *trial, key string, works func(code string) (bool, error)) error {
	for _, code := range t.language.Samples[key] {
		ok, err := works(code)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if ok {
			t.found[key] = code
			t.score += weights[key]
			return nil
		}
	}
	return nil
}

func tryPrint(ctx context.Context, l *lab, t *trial) error {
	return eachVariant(ctx, l, t, "print", func(code string) (bool, error) {
		const text = "Hello: a-z (1+1=2) x/y_z."
		a, err := l.eval(ctx, withText(code, text))
		if err != nil || !a.ok {
			return false, err
		}
		for line := range strings.Lines(a.output) {
			if strings.TrimSpace(line) == text {
				l.good = append(l.good, a.output)
				return true, nil
			}
		}
		return false, nil
	})
}

func tryVariable(ctx context.Context, l *lab, t *trial) error {
	for _, set := range t.language.Samples["set_var"] {
		for _, get := range t.language.Samples["get_var"] {
			ok := keeps(ctx, l, set, get)
			if ok && l.startup < slowStart {
				l.atPrompt = false // another language may have declared it before
				ok = keeps(ctx, l, set, get)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if ok {
				t.found["set_var"], t.found["get_var"] = set, get
				t.score += weights["get_var"]
				return nil
			}
		}
	}
	return nil
}

// keeps reports whether a variable holds the values assigned to it, one after the other.
func keeps(ctx context.Context, l *lab, set, get string) bool {
	for _, n := range []int{4711, 815} {
		if a, err := l.eval(ctx, withNumber(set, n)); err != nil || !a.ok {
			return false
		}
		if a, err := l.eval(ctx, get); err != nil || !a.ok || !strings.Contains(a.output, strconv.Itoa(n)) {
			return false
		}
	}
	return true
}

func tryLines(ctx context.Context, l *lab, t *trial) error {
	return eachVariant(ctx, l, t, "print_lines", func(code string) (bool, error) {
		a, err := l.eval(ctx, withNumber(code, 3))
		if err != nil || !a.ok {
			return false, err
		}
		var got []string
		for line := range strings.Lines(a.output) {
			if line = strings.TrimSpace(line); line != "" {
				got = append(got, line)
			}
		}
		text := strings.Join(got, " ") + " "
		return strings.HasPrefix(text, "0 1 2 ") || strings.HasPrefix(text, "1 2 3 "), nil
	})
}

func withNumber(sample string, n int) string {
	return strings.ReplaceAll(sample, "{n}", strconv.Itoa(n))
}

// tryBlock tries a block typed line by line, and run from a file.
func tryBlock(ctx context.Context, l *lab, t *trial) error {
	return eachVariant(ctx, l, t, "multiline", func(code string) (bool, error) {
		a, err := l.eval(ctx, withNumber(code, 4100))
		if err != nil {
			return false, err
		}
		t.direct = a.ok && strings.Contains(a.output, "4101")
		if err := tryLoads(ctx, l, t, code); err != nil {
			return t.direct, err
		}
		return t.direct || t.load != "", nil
	})
}

// tryLoads tries commands that run a file and prefers one that adds nothing to the output of the
// file.
func tryLoads(ctx context.Context, l *lab, t *trial, code string) error {
	for _, load := range t.language.Load {
		a, err := fromFile(ctx, l, load, t.language.Extension, withNumber(code, 5100))
		if err != nil {
			return err
		}
		if !a.ok || !strings.Contains(a.output, "5101") {
			continue
		}
		quiet, err := loadsQuietly(ctx, l, t, load)
		if err != nil {
			return err
		}
		if quiet || t.load == "" {
			t.load = load
		}
		if quiet {
			break
		}
	}
	return nil
}

// loadsQuietly reports whether a file that prints a text prints the same as the line in it.
func loadsQuietly(ctx context.Context, l *lab, t *trial, load string) (bool, error) {
	code := t.found["print"]
	if code == "" {
		return true, nil
	}
	code = withText(code, "quiet")
	typed, err := l.eval(ctx, code)
	if err != nil {
		return false, err
	}
	run, err := fromFile(ctx, l, load, t.language.Extension, code)
	return err == nil && run.ok && strings.Join(strings.Fields(run.output), " ") == strings.Join(strings.Fields(typed.output), " "), err
}

// fromFile runs a file by a line of its language.
func fromFile(ctx context.Context, l *lab, load, extension, code string) (answer, error) {
	file := filepath.Join(l.dirs.work, "block"+extension)
	if err := os.WriteFile(file, []byte(code+"\n"), 0o600); err != nil {
		return answer{}, err
	}
	return l.eval(ctx, strings.ReplaceAll(load, "{path}", file))
}

func tryRaw(ctx context.Context, l *lab, t *trial) error {
	return eachVariant(ctx, l, t, "raw_bytes", func(code string) (bool, error) {
		a, err := l.eval(ctx, withText(code, hex.EncodeToString([]byte("raw\x02é!"))))
		return err == nil && a.ok && strings.Contains(string(a.raw), "raw\x02é!"), err
	})
}

func tryComment(ctx context.Context, l *lab, t *trial) error {
	return eachVariant(ctx, l, t, "comment", func(code string) (bool, error) {
		a, err := l.eval(ctx, code)
		return err == nil && a.ok && len(strings.TrimSpace(a.output)) < 4, err
	})
}
