package schema

// Output describes how a command's output is processed.
type Output struct {
	PostPromptSettleMS int              `yaml:"post_prompt_settle_ms"`
	StripANSI          bool             `yaml:"strip_ansi"`
	StripInputEcho     bool             `yaml:"strip_input_echo"` // default true
	InputEchoStrategy  EchoStrategy     `yaml:"input_echo_strategy"`
	LineEnding         string           `yaml:"line_ending"` // of the program's output; default "\r\n"
	AsyncInterleave    *AsyncInterleave `yaml:"async_interleave"`
	ErrorPattern       string           `yaml:"error_pattern"`
}

// EchoStrategy is the way in which the echo of input is distinguished from output.
type EchoStrategy string

const (
	EchoOSCBoundaries     EchoStrategy = "osc_boundaries"
	EchoDeterministicByte EchoStrategy = "deterministic_byte_match"
	EchoFuzzyByte         EchoStrategy = "fuzzy_byte_match"
	EchoNone              EchoStrategy = "none"
)

// AsyncInterleave describes how output that arrives between commands is treated.
type AsyncInterleave struct {
	Strategy  string `yaml:"strategy"`   // redraw_detect, quiesce, accept, none
	CaptureAs string `yaml:"capture_as"` // out_of_band, merge, discard
}
