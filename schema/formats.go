package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/dlclark/regexp2"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/schema/internal/library"
)

// format is a form that a string must have, named by `format` in the JSON
// Schema; the kind is that of the diagnostic.
type format struct {
	kind  string
	check func(string) error
}

var formats = map[string]format{
	"pattern":          {KindPattern, once(checkPattern(0))},
	"expect-pattern":   {KindPattern, once(checkPattern(regexp2.Singleline))},
	"command-template": {KindTemplate, func(s string) error { _, err := SplitCommand(s); return err }},
	"path-template":    {KindTemplate, checkPath},
	"name":             {KindValue, CheckName},
	"label":            {KindValue, checkLabel},
	"semver":           {KindValue, matching(semver, "a semantic version such as 1.2.0")},
	"url":              {KindValue, checkURL},
	"env-name":         {KindValue, matching(envName, "the name of an environment variable")},
	"file-name":        {KindValue, checkFileName},
	"file-part":        {KindValue, checkFilePart},
	"term":             {KindValue, checkTerm},
	"resource":         {KindValue, checkResource},
	"home-path":        {KindValue, checkHomePath},
	"host":             {KindValue, checkHost},
	"marker":           {KindValue, matching(markerForm, `one letter such as "A", or the whole sequence such as "\x1b]633;A\x07"`)},
	"no-nul":           {KindValue, checkNUL},
	"exit-code":        {KindValue, matching(exitCodePattern, "an exit code from 0 to 255")},
	"jq":               {KindProgram, once(func(s string) error { return library.Linked().CheckProgram(s) })},
	"maven":            {KindValue, matching(mavenForm, "GROUP:ARTIFACT:VERSION, such as org.example:repl:1.2.0")},
	"tool-rule":        {KindValue, matching(toolRule, `a rule: TOOL or TOOL(INPUT), with * for anything, such as "bash(git *)"`)},
}

var (
	semver          = lazyregexp.New(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	envName         = lazyregexp.New(`^[^=\x00-\x1f\x7f]+$`)
	toolRule        = lazyregexp.New(`^[^()]*[^()\s][^()]*(\([\s\S]*\))?$`)
	exitCodePattern = lazyregexp.New(`^(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$`)
	mavenForm       = lazyregexp.New(`^[\w.-]+:[\w.-]+:[\w.-]+$`)
	hostName        = lazyregexp.New(`^(?i)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z]([a-z0-9_-]{0,61}[a-z0-9])?$`)
	markerForm      = lazyregexp.New(`^([A-Za-z]|\x1b\][0-9]+;[A-Za-z].*)$`)
)

// maxHost is the maximum length of a domain name.
const maxHost = 253

// maxPattern bounds a pattern, whose compiled form is many times larger.
const maxPattern = 10_000

func checkPattern(o regexp2.RegexOptions) func(string) error {
	return func(s string) error {
		if len(s) > maxPattern {
			return fmt.Errorf("pattern has %d bytes, more than the limit of %d", len(s), maxPattern)
		}
		_, err := CompilePattern(s, o)
		return err
	}
}

// maxResults is how many results of a check are remembered.
const maxResults = 64

// once returns a check that remembers its last results: a file may have one long text in many places.
func once(check func(string) error) func(string) error {
	var mu sync.Mutex
	results := map[string]error{}
	return func(s string) error {
		mu.Lock()
		err, known := results[s]
		mu.Unlock()
		if known {
			return err
		}
		err = check(s)
		mu.Lock()
		defer mu.Unlock()
		if len(results) >= maxResults {
			clear(results)
		}
		results[s] = err
		return err
	}
}

func matching(re func() *regexp.Regexp, want string) func(string) error {
	return func(s string) error {
		if !re().MatchString(s) {
			return fmt.Errorf("%s is not %s", quoted(s), want)
		}
		return nil
	}
}

// maxName keeps a name usable as a file name and in a table.
const maxName = 64

// CheckName returns an error if a text cannot be the name of an adapter: a name must be safe as a
// file name, as an argument and on a command line, and cannot look like another one.
func CheckName(s string) error {
	switch {
	case s == "":
		return errors.New("a name cannot be empty")
	case len([]rune(s)) > maxName:
		return fmt.Errorf("a name has at most %d characters, this one has %d", maxName, len([]rune(s)))
	case strings.ContainsAny(s, `/\`):
		return fmt.Errorf("name %s contains a path separator", quoted(s))
	case strings.HasPrefix(s, "-"):
		return fmt.Errorf("name %s starts with a dash and would be read as an option", quoted(s))
	case strings.HasPrefix(s, "."), strings.Contains(s, ".."):
		return fmt.Errorf("name %s starts with a dot or contains \"..\"", quoted(s))
	case strings.HasSuffix(s, ".yaml"), strings.HasSuffix(s, ".yml"):
		return fmt.Errorf("name %s ends in .yaml or .yml and would be read as a path", quoted(s))
	}
	return onlyASCII("name", s, "._+#@-")
}

// onlyASCII returns an error if a text has characters other than ASCII letters, digits and those of others; what
// names the text.
func onlyASCII(what, s, others string) error {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r) {
			return fmt.Errorf("%s %s contains %+q; ASCII letters, digits and %s are allowed", what, quoted(s), r, strings.Join(strings.Split(others, ""), " "))
		}
	}
	return nil
}

// maxLabel bounds names that people read: of tests and modes.
const maxLabel = 200

func checkLabel(s string) error {
	if strings.TrimSpace(s) == "" {
		return errors.New("a name cannot be empty")
	}
	if n := len([]rune(s)); n > maxLabel {
		return fmt.Errorf("a name has at most %d characters, this one has %d", maxLabel, n)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("name %s contains the unprintable %q", quoted(s), r)
		}
	}
	return nil
}

func checkURL(s string) error {
	if !library.Linked().IsURL(s) {
		return fmt.Errorf("%s is not a URL such as https://example.org/", quoted(s))
	}
	return nil
}

// checkFilePart accepts a part of a file name that has no meaning in any language: adapters type the name into programs.
func checkFilePart(s string) error {
	if strings.ContainsAny(s, "/\\\x00") || strings.Contains(s, "..") {
		return fmt.Errorf("%s leads out of the directory of the file: a part of a file name cannot contain a slash or two dots", quoted(s))
	}
	return onlyASCII("file name", s, "._-")
}

// checkTerm accepts the name of a terminal: startup files of shells use TERM, not always quoted.
func checkTerm(s string) error {
	if s == "" {
		return errors.New("the name of a terminal cannot be empty")
	}
	return onlyASCII("terminal name", s, "._+-")
}

func checkFileName(s string) error {
	if s == "" || s == "." {
		return fmt.Errorf("%s is not a file name", quoted(s))
	}
	return checkFilePart(s)
}

func checkResource(s string) error {
	if s == "" {
		return errors.New("the name of a file cannot be empty")
	}
	if strings.HasPrefix(s, "/") || strings.ContainsAny(s, "\\\x00:") {
		return fmt.Errorf("%s is not a relative path with forward slashes", quoted(s))
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%s leaves its directory or is not a clean path", quoted(s))
		}
	}
	return nil
}

// checkHomePath accepts a clean path strictly below the home directory, and a trailing slash
// for a directory.
func checkHomePath(s string) error {
	switch {
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~"):
		return fmt.Errorf("%s is not relative; write the path below the home directory, such as .my-agent/", quoted(s))
	case strings.ContainsAny(s, "$%\\:*\x00"):
		return fmt.Errorf("%s is not a plain path: variables, wildcards, colons and backslashes are not allowed", quoted(s))
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(s, "/"), "/") {
		switch part {
		case "..":
			return fmt.Errorf("%s contains \"..\" and may leave the home directory", quoted(s))
		case "", ".":
			return fmt.Errorf("%s is not a clean path below the home directory, such as .my-agent/ or .config/my-agent/", quoted(s))
		}
	}
	return nil
}

// checkHost accepts NAME and NAME:PORT, with a DNS name.
func checkHost(s string) error {
	switch {
	case strings.Contains(s, "://"):
		return fmt.Errorf("%s is a URL; write its HOST or HOST:PORT", quoted(s))
	case strings.ContainsRune(s, '*'):
		return fmt.Errorf("%s is a wildcard; list each host", quoted(s))
	}
	name, port, found := strings.Cut(s, ":")
	if n, err := strconv.ParseUint(port, 10, 16); found && (err != nil || n == 0) {
		return fmt.Errorf("%s has no port from 1 to 65535 after the colon", quoted(s))
	}
	if len(name) > maxHost || !hostName().MatchString(name) {
		return fmt.Errorf("%s is not the name of a host, such as api.example.com or api.example.com:8443", quoted(s))
	}
	return nil
}

func checkNUL(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("a NUL cannot be part of an argument or variable")
	}
	return nil
}
