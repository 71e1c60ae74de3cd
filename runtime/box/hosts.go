package box

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Host is a name or an address that the proxy may connect to.
type Host struct {
	Name string // as normalize returns it
	Port int    // 0 means 80 and 443
	Via  string // ADDRESS:PORT to connect to instead, which may be private; if empty, the name is resolved
}

// parseHost reads HOST, HOST:PORT or HOST:PORT=ADDRESS:PORT.
func parseHost(text string) (Host, error) {
	text, via, mapped := strings.Cut(text, "=")
	name, port := text, 0
	if i := strings.LastIndexByte(text, ':'); i >= 0 && (!strings.Contains(text[:i], ":") || strings.HasSuffix(text[:i], "]")) {
		n, err := strconv.ParseUint(text[i+1:], 10, 16)
		if err != nil || n == 0 {
			return Host{}, fmt.Errorf("%w: %q has no port from 1 to 65535 after the colon", ErrPolicy, text)
		}
		name, port = text[:i], int(n)
	}
	name, err := normalize(name)
	if err != nil {
		return Host{}, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	if mapped {
		to, err := netip.ParseAddrPort(via)
		if err != nil || port == 0 {
			return Host{}, fmt.Errorf("%w: %q is not HOST:PORT=ADDRESS:PORT", ErrPolicy, text+"="+via)
		}
		via = to.String()
	}
	return Host{Name: name, Port: port, Via: via}, nil
}

// maxName is the maximum length of a domain name.
const maxName = 253

// normalize returns the canonical form of a host name or address: lower case, without a
// trailing dot or brackets. It rejects names that other programs may parse as an address,
// such as 0x7f.1.
func normalize(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if bare, ok := strings.CutPrefix(host, "["); ok {
		bare, ok = strings.CutSuffix(bare, "]")
		if addr, err := netip.ParseAddr(bare); !ok || err != nil || !addr.Is6() {
			return "", fmt.Errorf("%q is not an IPv6 address in brackets", host)
		}
		host = bare
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "", fmt.Errorf("%q has a zone: use an address without one", host)
		}
		return addr.Unmap().String(), nil
	}
	if host == "" || len(host) > maxName {
		return "", fmt.Errorf("%q is not a host name", host)
	}
	last := ""
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", fmt.Errorf("%q is not a host name (write international names as xn--…)", host)
		}
		last = label
	}
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", fmt.Errorf("%q is neither a host name nor an address: write an address like 192.0.2.1", host)
	}
	return host, nil
}

// allowed returns the entry of the policy that covers a normalized name and a port.
func (p *Policy) allowed(name string, port int) (Host, bool) {
	for _, h := range p.Hosts {
		if h.Name == name && (h.Port == port || h.Port == 0 && webPort(port)) {
			return h, true
		}
	}
	return Host{Name: name, Port: port}, p.AnyHost && webPort(port)
}

func webPort(port int) bool { return port == 80 || port == 443 }

// reserved lists networks that are not part of the public internet. Those for which
// netip.Addr has a method are checked in public.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT, and the metadata services of some clouds
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/32"), // IPv6 addresses that embed IPv4 addresses
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// onThisMachine reports whether an address is one of this machine's, or in the network of one: a machine with public
// addresses has services that are not meant for everybody. The error is that of addresses.
func onThisMachine(addr netip.Addr, addresses func() ([]net.Addr, error)) (bool, error) {
	own, err := addresses()
	if err != nil {
		return false, err
	}
	for _, a := range own {
		if n, is := a.(*net.IPNet); is && n.Contains(addr.Unmap().AsSlice()) {
			return true, nil
		}
	}
	return false, nil
}

// public reports whether an address is on the public internet, as opposed to this machine, its
// networks, or a cloud's metadata service.
func public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" {
		return false
	}
	for _, p := range reserved {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
