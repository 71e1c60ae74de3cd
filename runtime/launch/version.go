package launch

import (
	"bytes"
	"context"
	"strings"
	"time"

	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// versionLimit is how long a program may take to print its version.
const versionLimit = 10 * time.Second

// Version runs a program as process.version describes and returns its version; "" if the
// adapter has no such key or the program does not print one within ten seconds.
func Version(ctx context.Context, a *schema.Adapter, path, dir string, env []string) string {
	probe := a.Process.VersionProbe
	if probe == nil {
		return ""
	}
	re, err := schema.CompilePattern(probe.Pattern)
	if err != nil {
		return "" // the loader has refused such a pattern
	}
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := proctree.Command(ctx, path, probe.Args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = versionLimit // a child may keep the pipe open
	_ = cmd.Run()                // many programs print their version and exit with a code of their own
	m, err := re.FindStringMatch(out.String())
	if m == nil && err == nil && strings.TrimSpace(out.String()) == "" { // warnings go to standard error, and some programs' versions
		m, err = re.FindStringMatch(errs.String())
	}
	if err != nil || m == nil {
		return ""
	}
	if g := m.GroupByNumber(1); g != nil && len(g.Captures) > 0 {
		return g.String()
	}
	return m.String()
}
