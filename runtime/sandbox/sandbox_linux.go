package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// configs have all that a version of Landlock can refuse.
var configs = []landlock.Config{
	3: landlock.V3, 4: landlock.V4, 5: landlock.V5, 6: landlock.V6, 7: landlock.V7,
	8: landlock.V8, 9: landlock.V9, 10: landlock.V10,
}

// devices are those that programs need whatever they do, besides their terminal.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// Check returns what would be enforced for a program that may write below dir.
//
// Errors: ErrUnavailable.
func Check(dir string) (Enforced, error) {
	version, err := abi.LandlockGetABIVersion()
	if err != nil {
		return Enforced{}, fmt.Errorf("%w: the kernel has no Landlock, or Landlock was not enabled at boot (%w)", ErrUnavailable, err)
	}
	return enforcedBy(min(version, len(configs)-1), dir)
}

// Exec lets this process write below dir, temp and to its terminal, and nowhere else,
// and then runs the program in its place, with TMPDIR=temp. It returns only when that cannot be done.
//
// Errors: ErrUnavailable.
func Exec(dir, temp string, argv []string) error {
	e, err := Check(dir)
	if err != nil {
		return err
	}
	files := landlock.RWFiles(append(terminals(), devices...)...).IgnoreIfMissing()
	if e.ABI >= 5 {
		files = files.WithIoctlDev()
	}
	if err := configs[e.ABI].Restrict(landlock.RODirs("/"), landlock.RWDirs(dir, temp).WithRefer(), files); err != nil {
		return fmt.Errorf("the sandbox: %w", err)
	}
	return syscall.Exec(argv[0], argv, environment(temp))
}

// terminals is the terminal that this process runs on.
func terminals() []string {
	name, err := os.Readlink("/proc/self/fd/0")
	if err != nil || !strings.HasPrefix(name, "/dev/pts/") {
		return nil
	}
	return []string{name}
}

// environment is this process's with another TMPDIR.
func environment(temp string) []string {
	env := []string{"TMPDIR=" + temp}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TMPDIR=") {
			env = append(env, kv)
		}
	}
	return env
}
