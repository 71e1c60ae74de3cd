// Package torture contains unusual uses of a session as data, and tests that apply them to ripple
// from outside: abused state, background writers, redirections, signals, terminal sequences,
// history. After each of them the session's reports must still be correct.
//
// programs.yaml lists the programs, the spelling of each idea for them, and the commands that show
// whether a session's reports are correct. A file of cases is a class; conformance/README.md
// describes its keys.
package torture
