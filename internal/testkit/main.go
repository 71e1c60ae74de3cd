package testkit

import (
	"bytes"
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
	defer func() { _ = os.RemoveAll(template.dir) }() // an error does not change the result
	return m.Run()
}

// precede puts the directory of a Python interpreter before that of a version manager, whose script looks for it: most of
// the CPU time of a start.
func precede(name string) {
	script, err := exec.LookPath(name)
	if err != nil {
		return
	}
	text, err := os.ReadFile(script)
	if err != nil || !bytes.HasPrefix(text, []byte("#!")) {
		return
	}
	dir, err := exec.Command(script, "-c", "import os, sys; print(os.path.dirname(sys.executable))").Output()
	if err != nil {
		return // the script chooses no version here
	}
	sep := string(filepath.ListSeparator)
	path, at := sep+os.Getenv("PATH")+sep, sep+filepath.Dir(script)+sep
	path = strings.Replace(path, at, sep+strings.TrimSpace(string(dir))+at, 1)
	_ = os.Setenv("PATH", path[1:len(path)-1]) // otherwise the tests take longer
}
