package contract

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The JUnit format has no standard; this is the part that CI systems agree on
// (https://github.com/testmoapp/junitxml). Tests that are not applicable are reported as
// skipped.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	File       string          `xml:"file,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	File      string        `xml:"file,attr,omitempty"`
	Line      int           `xml:"line,attr,omitempty"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Skipped   *junitProblem `xml:"skipped"`
	Notes     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// WriteJUnit writes one document with a testsuite for each adapter.
func WriteJUnit(w io.Writer, reports []*Report) error {
	var doc junitSuites
	var total time.Duration
	for _, r := range reports {
		s := suite(r)
		doc.Suites = append(doc.Suites, s)
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Errors += s.Errors
		doc.Skipped += s.Skipped
		total += r.Duration
	}
	doc.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suite(r *Report) junitSuite {
	s := junitSuite{
		Name: r.Adapter, Failures: r.Count(Failed), Errors: r.Count(Errored),
		Skipped: r.Count(Skipped) + r.Count(NotApplicable), Time: seconds(r.Duration),
		Timestamp: r.Started.UTC().Format("2006-01-02T15:04:05"), File: r.File,
	}
	s.Properties = []junitProperty{{"level", fmt.Sprint(r.Level)}, {"executable", r.Executable}, {"version", r.InterpreterVersion}}
	tests := r.Tests
	if r.Skipped != "" { // a suite without a case would count as successful
		program := TestResult{Name: "program", Kind: KindProbe, Status: Skipped, Reason: r.Skipped}
		if r.absent() {
			program.Status, program.Failure = Errored, &Failure{Message: r.Skipped}
			s.Errors = 1
		} else {
			s.Skipped = 1
		}
		tests = []TestResult{program}
	}
	for _, t := range tests {
		s.Cases = append(s.Cases, junit(r, t))
	}
	s.Tests = len(s.Cases)
	return s
}

func junit(r *Report, t TestResult) junitCase {
	c := junitCase{
		Name: roundName(t), Classname: r.Adapter + "." + string(t.Kind), Time: seconds(t.Duration),
		File: t.File, Line: t.Line, Notes: strings.Join(t.Notes, "\n"),
	}
	switch t.Status {
	case Failed:
		c.Failure = problem(t)
	case Errored:
		c.Error = problem(t)
	case Skipped:
		c.Skipped = &junitProblem{Message: t.Reason}
	case NotApplicable:
		c.Skipped = &junitProblem{Message: "not applicable: " + t.Reason}
	}
	return c
}

func problem(t TestResult) *junitProblem {
	var b strings.Builder
	p := &textWriter{w: &b}
	p.failure(t)
	return &junitProblem{Message: t.Failure.Message, Text: "\n" + b.String()}
}

func roundName(t TestResult) string {
	if t.Round > 0 {
		return fmt.Sprintf("%s (round %d)", t.Name, t.Round)
	}
	return t.Name
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
