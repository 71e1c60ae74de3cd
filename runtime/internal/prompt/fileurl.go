package prompt

import (
	"strconv"
	"strings"
)

// filePath is the path of a URL like file://host/a%20b (RFC 8089). Package net/url, which
// would do, waits at the start of a program for all of package net.
func filePath(url string) (path string, ok bool) {
	const scheme = "file:"
	if len(url) < len(scheme) || !strings.EqualFold(url[:len(scheme)], scheme) {
		return "", false
	}
	path = url[len(scheme):]
	if host, has := strings.CutPrefix(path, "//"); has {
		at := strings.IndexByte(host, '/')
		if at < 0 {
			return "", false
		}
		path = host[at:]
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if !strings.HasPrefix(path, "/") {
		return "", false
	}
	return percentDecoded(path)
}

// percentDecoded undoes the escapes of RFC 3986, section 2.1.
func percentDecoded(s string) (decoded string, ok bool) {
	var b strings.Builder
	for len(s) > 0 {
		plain, escaped, found := strings.Cut(s, "%")
		b.WriteString(plain)
		if !found {
			break
		}
		if len(escaped) < 2 {
			return "", false
		}
		n, err := strconv.ParseUint(escaped[:2], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(n))
		s = escaped[2:]
	}
	return b.String(), true
}
