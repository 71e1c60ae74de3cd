package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

func TestMain(m *testing.M) {
	os.Exit(testkit.Main(m, "python3"))
}

// toy returns the command line of a REPL in testdata.
func toy(t *testing.T, kind string) []string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	// The version that a shim chooses depends on HOME.
	real, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output()
	require.NoError(t, err)
	file, err := filepath.Abs("testdata/repl.py")
	require.NoError(t, err)
	// -IS: without installed modules, Python starts in half of the time.
	return []string{string(real[:len(real)-1]), "-IS", file, kind}
}

// options have generous limits for a busy machine; no test waits for them to expire.
func options(name string, command ...string) Options {
	return Options{Name: name, Command: command, File: name + ".yaml", ExperimentTimeout: 5 * time.Minute, StartTimeout: 2 * time.Minute}
}

func adapter(t *testing.T, text []byte) *schema.Adapter {
	t.Helper()
	a, diagnostics := schema.Parse("learnt.yaml", text, schema.Options{})
	require.NotNil(t, a, "%v\n%s", diagnostics, text)
	return a
}
