package git

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"example.org/ripple/internal/lazyregexp"
)

// systemErrors match git's messages about errors of the system. Git often does not name the error of a failed write; of a file that
// is open already, it is nearly always a full disk.
var systemErrors = []struct {
	message func() *regexp.Regexp
	err     syscall.Errno
}{
	{lazyregexp.New(`^(error|fatal|warning): .*: No space left on device$|^fatal: .* write error\. Out of diskspace$`), syscall.ENOSPC},
	{lazyregexp.New(`^error: unable to write file |^fatal: unable to write new index file$|^(error|fatal): .*couldn't write '.*\.lock'$`), syscall.ENOSPC},
	{lazyregexp.New(`^(error|fatal|warning): .*: Disk quota exceeded$`), syscall.EDQUOT},
	{lazyregexp.New(`^(error|fatal|warning): .*: Read-only file system$`), syscall.EROFS},
}

// Unwrap returns the system's error that git reports, such as a full disk, or nil. A message of a hook does not count,
// unless it looks like one of git.
func (e *Error) Unwrap() error {
	for line := range strings.SplitSeq(e.Said, "; ") {
		for _, s := range systemErrors {
			if s.message().MatchString(line) {
				return s.err
			}
		}
	}
	return nil
}

// OfSystem reports whether an error is one of the system, such as a full disk, not a refusal by git.
func OfSystem(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}, func(e error) bool { return errors.Is(err, e) })
}
