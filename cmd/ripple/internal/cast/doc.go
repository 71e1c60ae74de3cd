// Package cast converts a terminal's output over time into a Recording: New, Output for each
// piece with its time, Finish. Read converts an asciicast file. Only what was shown is kept,
// never what was typed.
package cast
