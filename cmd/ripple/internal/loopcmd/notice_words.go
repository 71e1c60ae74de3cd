package loopcmd

import "example.org/ripple/runtime/loop"

// flagsOf maps topics of the loop's notices to advice with the command's flags.
var flagsOf = map[string]string{
	loop.TopicCutOff:      ", although `ripple run --resume` would have continued that one",
	loop.TopicUncommitted: ", unless with --commit-all",
	loop.TopicMixed:       "; to commit both: --commit-all",
	loop.TopicCommitAll:   ": --commit-all has no effect without --commit",
	loop.TopicTag:         " (--tag without --commit)",
	loop.TopicWorktree:    "; to commit each turn: --commit",
	loop.TopicHooks:       "; let --verify do what they check",
	loop.TopicSubmodules:  "; to get them, for example in the first command of --verify: `git submodule update --init`",
	loop.TopicIgnored:     "; if the agent or a check needs them, copy or make them there, for example in the first command of --verify",
	loop.TopicCost:        " (--max-cost)",
	loop.TopicTokens:      " (--max-tokens)",
	loop.TopicMaxRuntime:  " (--max-runtime)",
	loop.TopicOnQuestion:  " (--on-question)",
}

// withFlags adds advice with flags to a notice.
func withFlags(n loop.Notice) loop.Notice {
	n.Text += flagsOf[n.Topic]
	return n
}
