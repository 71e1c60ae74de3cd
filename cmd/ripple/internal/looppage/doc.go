// Package looppage makes one page of HTML of what happened in a loop: its turns as cards,
// with a chart of what they cost. The page needs no network and runs no script but its
// own. What agents and programs have printed is text in it and never markup.
package looppage
