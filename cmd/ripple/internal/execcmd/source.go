package execcmd

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// source gives one command after another, and then io.EOF.
type source func() (string, error)

// commands is where the commands come from, and whether that is standard input.
func commands(in io.Reader, args []string, f execFlags) (next source, stdin bool, err error) {
	switch {
	case len(args) == 1 && f.file == "" && !f.lines && !f.nul: // -e and --op are all
		return after(nil, nil), false, nil
	case f.nul:
		return split(in, 0), true, nil
	case f.lines:
		return split(in, '\n'), true, nil
	case f.file == "-" || f.file == "" && args[1] == "-":
		next, err = whole(in, "standard input")
		return next, true, err
	case f.file == "":
		return once(args[1]), false, nil
	}
	file, err := os.Open(f.file)
	if err != nil {
		return nil, false, ui.UsageError("", "reading the code: %w", err)
	}
	defer file.Close() // only read from: nothing to lose
	next, err = whole(file, f.file)
	return next, false, err
}

func once(code string) source { return after([]string{code}, nil) }

// after gives these commands, and then those of next, if there is one.
func after(codes []string, next source) source {
	return func() (string, error) {
		switch {
		case len(codes) > 0:
			code := codes[0]
			codes = codes[1:]
			return code, nil
		case next != nil:
			return next()
		}
		return "", io.EOF
	}
}

// whole is everything that a reader gives, as one command.
func whole(r io.Reader, name string) (source, error) {
	code, err := io.ReadAll(r)
	if err != nil {
		return nil, ui.UsageError("", "reading the code from %s: %w", name, err)
	}
	return once(strings.TrimSuffix(string(code), "\n")), nil
}

// split reads a command up to each separator; the last one needs none. With
// lines, "\r\n" ends a line too.
func split(r io.Reader, separator byte) source {
	input := bufio.NewReader(r)
	return func() (string, error) {
		code, err := input.ReadString(separator)
		if err != nil && (code == "" || !errors.Is(err, io.EOF)) {
			return "", err
		}
		code = strings.TrimSuffix(code, string(separator))
		if separator == '\n' {
			code = strings.TrimSuffix(code, "\r")
		}
		return code, nil
	}
}
