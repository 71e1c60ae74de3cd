// Package agents contains the live tests of agent adapters: real agents, driven by ripple, against
// the stand-in model server. `make agents` installs them, `make test-agents` runs the tests;
// otherwise they are skipped. testdata has a file for each agent: how it is configured for the
// stand-in, and how its answers differ.
package agents
