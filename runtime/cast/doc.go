// Package cast turns what a terminal showed into pictures at times: New, Output what came
// and when, Finish. Read takes them from an asciicast file. Only what was shown is kept,
// never what was typed.
package cast
