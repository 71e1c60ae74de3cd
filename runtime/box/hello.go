package box

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
)

// clientHello reads the client's first bytes and returns them if they may be forwarded. On
// ports other than 443 they need not be TLS.
func clientHello(c net.Conn, in *bufio.Reader, host Host, port int) ([]byte, error) {
	if port == 443 {
		_ = c.SetReadDeadline(time.Now().Add(headerTimeout)) // on a closed connection, the read fails, too
		defer func() { _ = c.SetReadDeadline(time.Time{}) }()
	}
	first, err := in.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != tlsHandshake {
		if port == 443 && host.Via == "" {
			return nil, deny(host.Name, port, "not TLS")
		}
		return nil, nil
	}
	name, read := serverName(in)
	if _, err := netip.ParseAddr(host.Name); err == nil && name == "" {
		return read, nil // TLS does not send server names for addresses
	}
	if normal, err := normalize(name); err != nil || normal != host.Name {
		return nil, deny(host.Name, port, "the TLS server name is %.*q", maxName, name)
	}
	return read, nil
}

// tlsHandshake is the first byte of a TLS connection.
const tlsHandshake = 0x16

// serverName reads a TLS client hello. It returns the server name, or "" if there is none, and
// all bytes that were read.
func serverName(in io.Reader) (name string, read []byte) {
	var seen bytes.Buffer
	message := firstMessage(io.TeeReader(io.LimitReader(in, maxHeader), &seen))
	return nameOf(message), seen.Bytes()
}

// firstMessage reads records (RFC 8446, 5.1) up to the end of the first handshake message. It
// returns nil if there is none.
func firstMessage(in io.Reader) []byte {
	var message []byte
	for {
		var header [5]byte // type, version, length
		if _, err := io.ReadFull(in, header[:]); err != nil || header[0] != tlsHandshake || header[1] >= 0x10 {
			return nil
		}
		fragment := make([]byte, binary.BigEndian.Uint16(header[3:]))
		if _, err := io.ReadFull(in, fragment); err != nil || len(fragment) == 0 || len(fragment) > longestRecord {
			return nil
		}
		message = append(message, fragment...)
		if len(message) < 4 {
			continue // its type and length are not there yet
		}
		if end := 4 + int(message[1])<<16 + int(message[2])<<8 + int(message[3]); end <= len(message) {
			return message[:end]
		}
	}
}

const (
	longestRecord   = 1 << 14 // bytes
	clientHelloType = 1       // RFC 8446, 4
	serverNames     = 0       // RFC 6066, 3
	hostName        = 0
)

// nameOf returns the server name of a client hello (RFC 8446, 4.1.2). It is "" if there is none,
// or if the message or its list of names is malformed.
func nameOf(message cryptobyte.String) (name string) {
	var kind uint8
	var hello, skipped, extensions cryptobyte.String
	if !message.ReadUint8(&kind) || kind != clientHelloType ||
		!message.ReadUint24LengthPrefixed(&hello) || !message.Empty() ||
		!hello.Skip(2+32) || // version, random
		!hello.ReadUint8LengthPrefixed(&skipped) || // session
		!hello.ReadUint16LengthPrefixed(&skipped) || // cipher suites
		!hello.ReadUint8LengthPrefixed(&skipped) || // compression methods
		!hello.ReadUint16LengthPrefixed(&extensions) || !hello.Empty() {
		return ""
	}
	seen := map[uint16]bool{}
	for !extensions.Empty() {
		var extension uint16
		var data cryptobyte.String
		if !extensions.ReadUint16(&extension) || !extensions.ReadUint16LengthPrefixed(&data) || seen[extension] {
			return ""
		}
		seen[extension] = true
		if extension == serverNames {
			if name = hostOf(data); name == "" {
				return ""
			}
		}
	}
	return name
}

// hostOf returns the host of a list of server names, which has at most one (RFC 6066, 3).
func hostOf(data cryptobyte.String) (host string) {
	var list cryptobyte.String
	if !data.ReadUint16LengthPrefixed(&list) || !data.Empty() {
		return ""
	}
	for !list.Empty() {
		var kind uint8
		var name cryptobyte.String
		if !list.ReadUint8(&kind) || !list.ReadUint16LengthPrefixed(&name) || name.Empty() {
			return ""
		}
		if kind != hostName {
			continue
		}
		if host != "" {
			return ""
		}
		host = string(name)
	}
	if strings.HasSuffix(host, ".") {
		return ""
	}
	return host
}
