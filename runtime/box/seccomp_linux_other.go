//go:build linux && !amd64

package box

func modes() []mode { return nil }
