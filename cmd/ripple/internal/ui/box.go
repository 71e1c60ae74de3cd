package ui

import (
	"errors"

	"example.org/ripple/runtime/box"
)

// Hidden commands: the first process in a box, and the one that starts it for [box.Box.Wrap].
const (
	BoxInside = "box-inside"
	BoxEnter  = "box-enter"
)

// OpenBox opens a box for several programs.
func OpenBox(o box.Options) (*box.Box, error) {
	o.Inside, o.Enter = []string{BoxInside}, []string{BoxEnter}
	b, err := box.Open(o)
	return b, BoxError(err)
}

// ReportTree reports which directory a box may write if the repository around it belongs to another user; see [box.Tree].
func (a *App) ReportTree(tree, foreign string) {
	if foreign != "" {
		a.Note("the box may write only %s: the repository around it, %s, belongs to another user", tree, foreign)
	}
}

// BoxError gives an error of package box its exit code; nil for nil.
func BoxError(err error) error {
	missing, is := errors.AsType[*box.Missing](err)
	switch {
	case is:
		return FailWith(ExitMissing, missing, missing.Fix)
	case errors.Is(err, box.ErrPolicy):
		return FailWith(ExitUsage, err, "")
	case err != nil:
		return FailWith(ExitFailed, err, "")
	}
	return nil
}
