package adaptercmd

import (
	"crypto/rand"
	"io"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/schema"
)

// reporter writes the reports of a run in the requested format: text for each adapter as soon as it
// and those before it are done, the other formats at the end.
type reporter struct {
	to      io.Writer
	write   func(io.Writer, []*contract.Report) error
	gradual bool
	written int
	err     error
}

var reportFormats = []string{"text", "json", "junit", "tap", "github"}

func (a *app) newReporter(f testFlags) (*reporter, error) {
	r := &reporter{to: a.Out}
	switch f.report {
	case "text":
		color := a.Color(a.Stdout)
		o := contract.TextOptions{Color: color, Marks: color, Verbose: f.verbose}
		r.gradual = true
		r.write = func(w io.Writer, all []*contract.Report) error { return contract.WriteText(w, all, o) }
	case "json":
		r.write = contract.WriteJSON
	case "junit":
		r.write = contract.WriteJUnit
	case "tap":
		r.write = contract.WriteTAP
	case "github":
		r.write = func(w io.Writer, all []*contract.Report) error { return contract.WriteGitHub(w, all, rand.Text()) }
	default:
		return nil, ui.UsageError(ui.DidYouMean(schema.Nearest(f.report, reportFormats), "use one of "+strings.Join(reportFormats, ", ")),
			"unknown --report format %q", f.report)
	}
	return r, nil
}

// early writes as much as possible before all are done; reports is nil for adapters that are not
// done.
func (r *reporter) early(reports []*contract.Report) {
	for r.gradual && r.err == nil && r.written < len(reports) && reports[r.written] != nil {
		r.err = r.write(r.to, reports[r.written:r.written+1])
		r.written++
	}
}

// finish writes the rest and returns the first error.
func (r *reporter) finish(reports []*contract.Report) error {
	if !r.gradual {
		r.err = r.write(r.to, reports)
	}
	return r.err
}
