package place

import "fmt"

// Sizes of a console that may be set: many programs fail in a smaller one.
const (
	minCols, minRows = 20, 5
	maxCols, maxRows = 1000, 1000
)

// SizeError describes an invalid size of a console.
type SizeError struct{ Cols, Rows int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("invalid console size %d by %d: the minimum is %d by %d, the maximum %d by %d", e.Cols, e.Rows, minCols, minRows, maxCols, maxRows)
}

// CheckSize returns a *SizeError if a console may not be given the size.
func CheckSize(cols, rows int) error {
	if cols < minCols || rows < minRows || cols > maxCols || rows > maxRows {
		return &SizeError{cols, rows}
	}
	return nil
}
