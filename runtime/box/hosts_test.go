package box

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseHost(t *testing.T) {
	for text, want := range map[string]Host{
		"Example.COM.":           {Name: "example.com"},
		"example.com:8443":       {Name: "example.com", Port: 8443},
		"model:80=127.0.0.1:900": {Name: "model", Port: 80, Via: "127.0.0.1:900"},
		"192.0.2.1:22":           {Name: "192.0.2.1", Port: 22},
		"[2001:DB8::1]:443":      {Name: "2001:db8::1", Port: 443},
		"2001:db8::1":            {Name: "2001:db8::1"},
	} {
		got, err := parseHost(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", ".", "a..b", "a b", "*.example.com", "http://example.com", "example.com:", "example.com:0", "example.com:65536", "example.com:x",
		"exämple.com", "a/b", "[::1", "fe80::1%eth0", "127.1", "0177.0.0.1", "2130706433", "0x7f000001", "1.2.3.0x4",
		"m=127.0.0.1:9", "m:80=localhost:9", "m:80=127.0.0.1", "m:80=",
	} {
		_, err := parseHost(text)
		assert.ErrorIs(t, err, ErrPolicy, text)
	}
	_, err := parseHost("[1.2.3.4]:80")
	assert.EqualError(t, err, `invalid box: "[1.2.3.4]" is not an IPv6 address in brackets`)
}

func TestAllowedHosts(t *testing.T) {
	p := Policy{Hosts: []Host{{Name: "web"}, {Name: "ssh", Port: 22}}}
	for name, ports := range map[string]map[int]bool{
		"web": {80: true, 443: true, 22: false, 8080: false}, "ssh": {22: true, 443: false}, "other": {443: false}, "x.web": {443: false},
	} {
		for port, want := range ports {
			_, ok := p.allowed(name, port)
			assert.Equal(t, want, ok, "%s:%d", name, port)
		}
	}
	p.AnyHost = true
	_, ok := p.allowed("other", 443)
	assert.True(t, ok)
	_, ok = p.allowed("web", 25)
	assert.False(t, ok, "any host, but not any port")
}

func TestPublicAddressesOfThisMachine(t *testing.T) {
	own := func() (list []net.Addr, err error) {
		for _, text := range []string{"51.15.20.7/24", "203.0.113.9/32", "2a01:4f8:1::7/64"} {
			ip, n, err := net.ParseCIDR(text)
			require.NoError(t, err)
			list = append(list, &net.IPNet{IP: ip, Mask: n.Mask})
		}
		return list, nil
	}
	for text, want := range map[string]bool{
		"51.15.20.7": true, "51.15.20.200": true, "::ffff:51.15.20.7": true, "51.15.21.7": false, "203.0.113.9": true, "203.0.113.8": false,
		"2a01:4f8:1::7": true, "2a01:4f8:1::8": true, "2a01:4f8:2::7": false, "8.8.8.8": false,
	} {
		local, err := onThisMachine(netip.MustParseAddr(text), own)
		require.NoError(t, err)
		assert.Equal(t, want, local, text)
	}
	_, err := onThisMachine(netip.MustParseAddr("8.8.8.8"), func() ([]net.Addr, error) { return nil, errors.New("no") })
	assert.Error(t, err)
}

func TestPublicAddresses(t *testing.T) {
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"} {
		assert.True(t, public(netip.MustParseAddr(text)), text)
	}
	for _, text := range []string{
		"0.0.0.0", "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "192.0.0.192",
		"198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
		"fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "fec0::1",
	} {
		assert.False(t, public(netip.MustParseAddr(text)), text)
	}
}
