package schema

// Output says what happens to a command's output.
type Output struct {
	PostPromptSettleMS int              `yaml:"post_prompt_settle_ms"`
	StripANSI          bool             `yaml:"strip_ansi"`
	StripInputEcho     bool             `yaml:"strip_input_echo"` // default true
	InputEchoStrategy  EchoStrategy     `yaml:"input_echo_strategy"`
	LineEnding         string           `yaml:"line_ending"` // what the program writes; default "\r\n"
	AsyncInterleave    *AsyncInterleave `yaml:"async_interleave"`
	ErrorPattern       string           `yaml:"error_pattern"`
}

// EchoStrategy is how input echo is distinguished from output.
type EchoStrategy string

const (
	EchoOSCBoundaries     EchoStrategy = "osc_boundaries"
	EchoDeterministicByte EchoStrategy = "deterministic_byte_match"
	EchoFuzzyByte         EchoStrategy = "fuzzy_byte_match"
	EchoNone              EchoStrategy = "none"
)

// AsyncInterleave says what becomes of output that arrives between commands.
type AsyncInterleave struct {
	Strategy  string `yaml:"strategy"`   // redraw_detect, quiesce, accept, none
	CaptureAs string `yaml:"capture_as"` // out_of_band, merge, discard
}
