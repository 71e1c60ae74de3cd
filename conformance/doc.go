// Package conformance holds the rules that the whole module must keep to, as
// tests: the layers and their imports, what the code must not contain, that
// every key of the adapter schema is described and does something, and that the
// README's commands work as they are printed there.
package conformance
