// Package console keeps sessions alive in processes of their own, where several programs and people
// reach them by name.
//
// A console is one host process: it holds the session and serves it over HTTP on a Unix socket in a
// private directory (Dir). Start starts a console and returns a Client; Find returns the Client of
// a running one. Serve is the main function of the host process.
//
//	c, err := console.Start(ctx, host, console.Spec{Adapter: name})
//	…
//	done, err := c.Exec(ctx, console.ExecRequest{Code: "make"}, os.Stdout)
//
// A client can end a command only with Close or an interrupt: a deadline ends the wait for it. A
// lock that the host holds for its lifetime determines whether a console is alive, never a timeout.
//
// The wire format is JSON and only gains optional fields: see wire.go. A host of another version
// serves the requests that it knows. The way to find a console (its directory, lock and record),
// GET /v1, POST /v1/close and attaching are frozen from the first release on: they then stay as they
// are forever, so that any later ripple can list, end and attach to any running console. To inspect
// a console by hand:
//
//	curl --unix-socket "$XDG_RUNTIME_DIR/ripple/bash-1.sock" http://console/v1
package console
