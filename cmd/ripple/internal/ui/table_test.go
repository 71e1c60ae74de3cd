package ui

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writes records each write.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestATableIsWrittenAtOnce(t *testing.T) {
	var written writes
	a := &App{Out: &written}
	require.NoError(t, a.PrintTable(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tPROGRAM")
		fmt.Fprintln(w, "bash\t/bin/bash")
	}))
	assert.Equal(t, writes{"NAME  PROGRAM\nbash  /bin/bash\n"}, written)
}
