// Package torture holds what people do to a session that it did not expect, as
// data, and the tests that do it to ripple from outside: state that is abused,
// writers in the background, redirections, signals, terminal sequences, history.
// After each abuse the session has to tell the truth still.
//
// programs.yaml says which programs there are, how an idea is spelled in each,
// and by which commands one sees that a session tells the truth. A file of cases
// is a class; conformance/README.md describes its keys.
package torture
