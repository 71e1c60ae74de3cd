// Package castpage makes one file of what a terminal showed: a page that plays it, or a
// picture (SVG) that moves. Both need no network.
package castpage
