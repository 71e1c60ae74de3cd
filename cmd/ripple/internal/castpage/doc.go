// Package castpage makes one file of a terminal's output: a page that plays it, or an
// animated picture (SVG). Both need no network.
package castpage
