// Package agents holds the live tests of agent adapters: real agents, driven by
// ripple, against the stand-in model server. `make agents` installs them, `make
// test-agents` runs the tests; otherwise they are skipped. testdata has a file for
// each agent: what points it to the stand-in, and where its answers differ.
package agents
