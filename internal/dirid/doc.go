// Package dirid tells a directory from its copies, as from an archive, by the time at which it was made: a file that contains the
// text of its directory was written in that one.
package dirid
