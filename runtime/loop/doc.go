// Package loop drives a coding agent turn after turn until its work is done.
package loop
