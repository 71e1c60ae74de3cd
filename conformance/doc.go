// Package conformance contains the rules for the whole module, as tests: the layers and their
// imports, forbidden constructs in the code, that every key of the adapter schema is documented and
// used, and that the README's commands work as printed there.
package conformance
