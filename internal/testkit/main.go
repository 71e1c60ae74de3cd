package testkit

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Main runs the tests of a package for its TestMain and returns the exit code. Parallel tests that mostly wait overlap: 2
// more than twice the number of processors run at once, unless the flag -parallel is given. Temporary files are in memory
// if it has room; the exhaustive forms of tests have them on the disk. The named programs are Python interpreters: if PATH
// has a script that starts one, it is preceded by the interpreter's directory.
func Main(m interface{ Run() int }, pythons ...string) (code int) {
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.NumCPU()+2))
	for _, name := range pythons {
		precede(name)
	}
	if !Thorough {
		defer inMemory()()
	}
	return m.Run()
}

// precede puts the directory of a Python interpreter before that of a version manager, which has a script that looks for it:
// most of the CPU time of a start.
func precede(name string) {
	script, err := exec.LookPath(name)
	if err != nil || !isScript(script) {
		return
	}
	dir, err := exec.Command(script, "-c", "import os, sys; print(os.path.dirname(sys.executable))").Output()
	if err != nil {
		return // the script chooses no version here
	}
	list := filepath.SplitList(os.Getenv("PATH"))
	for i, d := range list {
		if d == filepath.Dir(script) {
			list[i] = strings.TrimSpace(string(dir)) + string(filepath.ListSeparator) + d
			break
		}
	}
	_ = os.Setenv("PATH", strings.Join(list, string(filepath.ListSeparator))) // otherwise the tests take longer
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 2)
	_, err = f.Read(begin)
	return err == nil && string(begin) == "#!"
}
