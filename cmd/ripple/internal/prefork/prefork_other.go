//go:build !linux

package prefork

// Wait is never called: nothing is started early here.
func (*Host) Wait() error { return nil }

// Tell is never called: nothing is started early here.
func (*Host) Tell([]byte) {}

// Done ends a prestarted host that no command has used.
func Done() {}
