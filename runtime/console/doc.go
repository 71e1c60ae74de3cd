// Package console keeps sessions alive in processes of their own, where several
// programs and people reach them by name.
//
// A console is one host process: it holds the session and serves it over HTTP on
// a Unix socket in a private directory (Dir). Start starts one and returns a
// Client; Find returns the Client of one that lives. Serve is what the host
// process runs.
//
//	c, err := console.Start(ctx, host, console.Spec{Adapter: "bash"})
//	…
//	done, err := c.Exec(ctx, console.ExecRequest{Code: "make"}, os.Stdout)
//
// Nothing that a client does ends a command but Close and an interrupt: a
// deadline ends the wait for it. Who lives is decided by a lock that the host
// holds for life, never by a time-out.
//
// The wire is JSON, additive only: see wire.go. A host of another version serves
// what it knows. How a console is found (its directory, lock and record), GET /v1,
// POST /v1/close and its attachment are frozen: they stay as they are for ever, so that
// any later ripple can list, end and attach to any console that lives. A conversation
// with the first host is kept in testdata/v1, and is never changed: each client has
// to work with that host, and each host with that client. For a look by hand:
//
//	curl --unix-socket "$XDG_RUNTIME_DIR/ripple/bash-1.sock" http://console/v1
package console
