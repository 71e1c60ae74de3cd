package loopcmd

import "ripple/runtime/loop"

// flagsOf is what the command line has to say on a topic of the loop's notices.
var flagsOf = map[string]string{
	loop.TopicCutOff:      ", where `ripple run --resume` would have gone on with that one",
	loop.TopicUncommitted: ", unless with --commit-all",
	loop.TopicMixed:       "; --commit-all commits both",
	loop.TopicCommitAll:   ": --commit-all has no effect without --commit",
	loop.TopicTag:         " (--tag without --commit)",
	loop.TopicCost:        " (--max-cost)",
	loop.TopicTokens:      " (--max-tokens)",
	loop.TopicMaxRuntime:  " (--max-runtime)",
	loop.TopicOnQuestion:  " (--on-question)",
}

// withFlags adds to a notice how a user of the command line changes what it tells.
func withFlags(n loop.Notice) loop.Notice {
	n.Text += flagsOf[n.Topic]
	return n
}
