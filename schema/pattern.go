package schema

import (
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// MatchLimit bounds one attempt to match an adapter's pattern.
const MatchLimit = time.Second

func init() {
	// The library looks at its limit every 100 ms by default, which makes a
	// limit of a second too coarse for a session that waits.
	regexp2.SetTimeoutCheckPeriod(5 * time.Millisecond)
}

// CompilePattern compiles a pattern of an adapter: .NET flavor, `^` and `$`
// at line ends, and a match that gives up after MatchLimit with an error.
func CompilePattern(pattern string, more ...regexp2.RegexOptions) (*regexp2.Regexp, error) {
	options := regexp2.RegexOptions(regexp2.Multiline)
	for _, m := range more {
		options |= m
	}
	re, err := regexp2.Compile(pattern, options)
	if err != nil {
		return nil, patternError{pattern, err}
	}
	re.MatchTimeout = MatchLimit
	return re, nil
}

// patternError drops the library's preamble and its repetition of the whole
// pattern, which is in the file already.
type patternError struct {
	pattern string
	err     error
}

func (e patternError) Error() string {
	m := strings.TrimPrefix(e.err.Error(), "error parsing regexp: ")
	return strings.TrimSuffix(m, " in `"+e.pattern+"`")
}

func (e patternError) Unwrap() error { return e.err }
