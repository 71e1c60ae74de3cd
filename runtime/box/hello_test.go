package box

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// helloOf returns the client hello of crypto/tls.
func helloOf(t testing.TB, name string, versions ...uint16) []byte {
	t.Helper()
	var out bytes.Buffer
	config := &tls.Config{ServerName: name, InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}}
	if len(versions) > 0 {
		config.MaxVersion = versions[0]
	}
	require.Error(t, tls.Client(oneWay{strings.NewReader(""), &out}, config).Handshake())
	return out.Bytes()
}

// oneWay is a connection that reads from one place and writes to another.
type oneWay struct {
	io.Reader
	io.Writer
}

func (oneWay) Close() error                     { return nil }
func (oneWay) LocalAddr() net.Addr              { return nil }
func (oneWay) RemoteAddr() net.Addr             { return nil }
func (oneWay) SetDeadline(time.Time) error      { return nil }
func (oneWay) SetReadDeadline(time.Time) error  { return nil }
func (oneWay) SetWriteDeadline(time.Time) error { return nil }

// reference returns the server name as a server of crypto/tls reads it.
func reference(hello []byte) (name string) {
	config := &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		name = hello.ServerName
		return nil, errors.New("only the client hello is needed")
	}}
	_ = tls.Server(oneWay{bytes.NewReader(hello), io.Discard}, config).Handshake() // it always fails
	return name
}

// records divides a client hello of one record into records of n bytes.
func records(hello []byte, n int) (divided []byte) {
	for body := hello[5:]; len(body) > 0; body = body[min(n, len(body)):] {
		size := min(n, len(body))
		divided = append(divided, hello[0], hello[1], hello[2], byte(size>>8), byte(size))
		divided = append(divided, body[:size]...)
	}
	return divided
}

func TestServerName(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		hello := helloOf(t, "example.test", version)
		for _, n := range []int{1, 3, 4, 100, 1 << 14} {
			name, read := serverName(bytes.NewReader(records(hello, n)))
			assert.Equal(t, "example.test", name, "records of %d bytes", n)
			assert.Equal(t, records(hello, n), read)
		}
		after := append(bytes.Clone(hello), "more"...)
		name, read := serverName(bytes.NewReader(after))
		assert.Equal(t, "example.test", name)
		assert.Equal(t, hello, read, "the bytes after it are not read")
		for n := range hello {
			name, read := serverName(bytes.NewReader(hello[:n]))
			assert.Empty(t, name, "the first %d bytes", n)
			assert.Equal(t, hello[:n], append([]byte{}, read...))
		}
	}
	name, _ := serverName(bytes.NewReader(helloOf(t, "192.0.2.1")))
	assert.Empty(t, name, "addresses are not sent")
	name, read := serverName(bytes.NewReader(records(append(helloOf(t, "example.test")[:5], bytes.Repeat([]byte{1}, 2*maxHeader)...), 1000)))
	assert.Empty(t, name, "it does not end")
	assert.Len(t, read, maxHeader)
}

// FuzzServerName compares the server name with the one that crypto/tls reads, which also refuses
// hellos for reasons that have nothing to do with the name.
func FuzzServerName(f *testing.F) {
	hello := []byte("\x16\x03\x01\x00\x40\x01\x00\x00\x3c\x03\x03" + strings.Repeat("r", 32) + "\x00\x00\x02\x13\x01\x01\x00" +
		"\x00\x11\x00\x00\x00\x0d\x00\x0b\x00\x00\x08abc.test")
	require.Equal(f, "abc.test", reference(hello))
	f.Add(hello)
	f.Add(records(hello, 7))
	f.Add([]byte("\x16\x03\x01\x00\x00"))
	f.Fuzz(func(t *testing.T, hello []byte) {
		name, read := serverName(bytes.NewReader(hello))
		if !bytes.HasPrefix(hello, read) {
			t.Fatalf("%q was read of %q", read, hello)
		}
		if want := reference(hello); want != "" && len(hello) <= maxHeader && name != want {
			t.Fatalf("the name is %q, not %q, in %q", name, want, hello)
		}
	})
}

// Each byte of a hello changed to each value: never another name than that of crypto/tls.
func TestServerNameOfChangedHellos(t *testing.T) {
	hello := helloOf(t, "ab.test", tls.VersionTLS12)
	for i := range hello {
		for value := range 256 {
			changed := bytes.Clone(hello)
			changed[i] = byte(value)
			name, _ := serverName(bytes.NewReader(changed))
			if want := reference(changed); want != "" {
				require.Equal(t, want, name, "byte %d is %#x", i, value)
			}
		}
	}
}
