package main

// guarded runs a command that starts programs.
func guarded(a *app, run func() error) error { return run() }
