package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var apkFile = flag.String("apk", "", "the package for Alpine to read; tools/release-check gives it")

// alpineVersion is what apk can put in order (apk-package(5), apk-version(8)).
var alpineVersion = regexp.MustCompile(`^\d+(\.\d+)*[a-z]?(_(alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*(-r\d+)?$`)

// The package for Alpine is as apk-v2(5) says: streams of gzip, each with a part of one tar.
// First what is said of the package, with a hash of the second stream; then its files, each with its own hash.
func TestAPK(t *testing.T) {
	if *apkFile == "" {
		t.Skip("no package: -apk names it")
	}
	data, err := os.ReadFile(*apkFile)
	if err != nil {
		t.Fatal(err)
	}
	parts := streams(t, data)
	if len(parts) != 2 {
		t.Fatalf("%d streams; an unsigned package has 2", len(parts))
	}
	info := pkginfo(t, parts[0].text)
	if sum := fmt.Sprintf("%x", sha256.Sum256(parts[1].packed)); info["datahash"] != sum {
		t.Errorf("datahash is %q, and that of the files %s", info["datahash"], sum)
	}
	if !alpineVersion.MatchString(info["pkgver"]) {
		t.Errorf("%q is no version for apk", info["pkgver"])
	}
	if info["pkgname"] != "ripple" || info["license"] != "MIT" || info["arch"] != "x86_64" && info["arch"] != "aarch64" || info["depend"] != "" {
		t.Errorf("%v", info)
	}
	installed(t, parts[1].text)
}

// stream is one of gzip: as it is in the file, and unpacked.
type stream struct{ packed, text []byte }

func streams(t *testing.T, data []byte) (all []stream) {
	t.Helper()
	left := bytes.NewReader(data) // a ByteReader, so that gzip reads no further than a stream's end
	for left.Len() > 0 {
		begin := len(data) - left.Len()
		z, err := gzip.NewReader(left)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stream{data[begin : len(data)-left.Len()], text})
	}
	return all
}

// pkginfo reads the part that says what the package is: one file, no script, and no end of
// a tar, since the files follow.
func pkginfo(t *testing.T, text []byte) map[string]string {
	t.Helper()
	if bytes.HasSuffix(text, make([]byte, 1024)) {
		t.Error("the control part ends the tar")
	}
	entries := tar.NewReader(bytes.NewReader(text))
	head, err := entries.Next()
	if err != nil || head.Name != ".PKGINFO" {
		t.Fatalf("%v %v", head, err)
	}
	info := map[string]string{}
	lines := bufio.NewScanner(entries)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		key, value, found := strings.Cut(line, " = ")
		if !found || info[key] != "" {
			t.Errorf(".PKGINFO: %q", line)
		}
		info[key] = value
	}
	if head, err := entries.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("there is more than .PKGINFO: %v %v", head, err)
	}
	return info
}

// installed reads the part with the files: root's, below directories that stand before them,
// each file with its hash (which apk writes into its list of what is installed).
func installed(t *testing.T, text []byte) {
	t.Helper()
	entries, seen := tar.NewReader(bytes.NewReader(text)), map[string]bool{".": true}
	for {
		head, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name := path.Clean(head.Name)
		if seen[name] || !seen[path.Dir(name)] || path.IsAbs(head.Name) || strings.HasPrefix(name, "..") || head.Uid != 0 || head.Gid != 0 {
			t.Errorf("%s: twice, before its directory, outside, or not root's: %+v", head.Name, head)
		}
		seen[name] = true
		want := int64(0o644)
		if head.Typeflag == tar.TypeDir || name == "usr/bin/ripple" {
			want = 0o755
		}
		if head.Mode != want {
			t.Errorf("%s has the mode %o, not %o", name, head.Mode, want)
		}
		if head.Typeflag == tar.TypeDir {
			continue
		}
		sum := sha1.New()
		if _, err := io.Copy(sum, entries); err != nil {
			t.Fatal(err)
		}
		if got := head.PAXRecords["APK-TOOLS.checksum.SHA1"]; got != fmt.Sprintf("%x", sum.Sum(nil)) {
			t.Errorf("%s has the checksum %q, not %x", name, got, sum.Sum(nil))
		}
	}
	for _, name := range []string{"usr/bin/ripple", "usr/share/man/man1/ripple-exec.1.gz", "usr/share/doc/ripple/copyright"} {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
