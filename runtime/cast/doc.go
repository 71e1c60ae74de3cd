// Package cast converts a terminal's output over time into pictures: New, Output for each
// piece with its time, Finish. Read takes them from an asciicast file. Only what was shown
// is kept, never what was typed.
package cast
