package git

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A full disk is an error of the system, and git does not refuse anything. A message of a hook does not count.
func TestErrorsOfTheSystem(t *testing.T) {
	for _, tt := range []struct {
		said string
		want error
	}{
		{"error: unable to write file a.txt: No space left on device", syscall.ENOSPC},
		{"error: unable to write file a.bin; fatal: Could not reset index file to revision 'HEAD'.", syscall.ENOSPC},
		{"fatal: cannot update ref 'refs/heads/w': couldn't write '/p/.git/refs/heads/w.lock'", syscall.ENOSPC},
		{"fatal: sha1 file '/p/.git/index.lock' write error. Out of diskspace", syscall.ENOSPC},
		{"fatal: cannot create directory at 'd': Disk quota exceeded; x", syscall.EDQUOT},
		{"hint; fatal: could not open '.git/index.lock' for writing: Read-only file system", syscall.EROFS},
		{"ok; test_disk: No space left on device", nil},
		{"error: the test expects No space left on device in the log", nil},
		{"fatal: not a git repository", nil},
	} {
		err := fmt.Errorf("while writing: %w", &Error{Command: string(gitCommit), Said: tt.said, Code: 1})
		assert.Equal(t, tt.want != nil, OfSystem(err), tt.said)
		if tt.want != nil {
			assert.ErrorIs(t, err, tt.want)
			assert.Equal(t, err, notReady(err, "why", "next"), "no user of git can change it")
		}
		e, _ := errors.AsType[*Error](err)
		assert.Equal(t, tt.want == nil, e.RefusedCommit(), tt.said)
	}
}
