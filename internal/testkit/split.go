package testkit

// EachSplit runs f with b whole, cut in two at every position, and in single bytes.
func EachSplit(b []byte, f func(pieces ...[]byte)) {
	f(b)
	for i := 1; i < len(b); i++ {
		f(b[:i], b[i:])
	}
	var single [][]byte
	for i := range b {
		single = append(single, b[i:i+1])
	}
	f(single...)
}
