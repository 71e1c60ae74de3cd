// Package looppage makes an HTML page about a loop: its turns as cards, with a chart of
// their costs. The page needs no network and runs no script but its own. What agents and
// programs have printed is text in it and never markup.
package looppage
