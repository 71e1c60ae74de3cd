package schema

// Input describes how code reaches the program.
type Input struct {
	LineEnding        string            `yaml:"line_ending"` // empty: process.line_ending
	MultilineDetect   MultilineDetect   `yaml:"multiline_detect"`
	MultilineDelivery MultilineDelivery `yaml:"multiline_delivery"`
	MultilineWrapper  *MultilineWrapper `yaml:"multiline_wrapper"`
	BalancedParens    *BalancedParens   `yaml:"balanced_parens"`
	Tempfile          *InputTempfile    `yaml:"tempfile"`
	MaxLineBytes      int               `yaml:"max_line_bytes"` // 0: no limit of its own
	LineCharset       string            `yaml:"line_charset"`   // utf-8, ascii
	EmptyLine         string            `yaml:"empty_line"`     // send, none
	SecretPattern     string            `yaml:"secret_pattern"`
	ChunkDelayMS      int               `yaml:"chunk_delay_ms"`
	ClearLine         string            `yaml:"clear_line"`
}

// MultilineDetect is the way in which incomplete input is recognized.
type MultilineDetect string

const (
	DetectPromptBased    MultilineDetect = "prompt_based"
	DetectWrapper        MultilineDetect = "wrapper"
	DetectBalancedParens MultilineDetect = "balanced_parens"
	DetectIndentBased    MultilineDetect = "indent_based" // reserved; has no effect
	DetectNone           MultilineDetect = "none"
)

// MultilineDelivery is the way in which a block of several lines is sent.
type MultilineDelivery string

const (
	DeliverDirect             MultilineDelivery = "direct"
	DeliverTempfile           MultilineDelivery = "tempfile"
	DeliverHeredoc            MultilineDelivery = "heredoc"
	DeliverWrapper            MultilineDelivery = "wrapper"
	DeliverEncodedScriptblock MultilineDelivery = "encoded_scriptblock"
	DeliverBracketedPaste     MultilineDelivery = "bracketed_paste"
)

// MultilineWrapper brackets a block (":{" and ":}").
type MultilineWrapper struct {
	Open    string `yaml:"open"`
	Close   string `yaml:"close"`
	Trigger string `yaml:"trigger"` // auto, always, never
}

// BalancedParens describes the brackets, strings and comments of a language, by which
// incomplete code is recognized.
type BalancedParens struct {
	Open               []string `yaml:"open"`
	Close              []string `yaml:"close"`
	StringDelims       []string `yaml:"string_delims"`
	Escape             string   `yaml:"escape"`
	EscapeSymbols      bool     `yaml:"escape_symbols"`
	LineComment        string   `yaml:"line_comment"`
	BlockComment       []string `yaml:"block_comment"` // open, close
	BlockCommentFlat   bool     `yaml:"block_comment_flat"`
	CharLiteralPrefix  string   `yaml:"char_literal_prefix"`
	DatumCommentPrefix string   `yaml:"datum_comment_prefix"`
}

// InputTempfile describes how a block of code is delivered through a file.
type InputTempfile struct {
	Prefix             string `yaml:"prefix"`
	Extension          string `yaml:"extension"`
	PathTemplate       string `yaml:"path_template"`
	InvocationTemplate string `yaml:"invocation_template"`
	HistoryFilter      string `yaml:"history_filter"`
	CleanupOnStart     bool   `yaml:"cleanup_on_start"`
	StaleTTLHours      int    `yaml:"stale_ttl_hours"` // default 0
}
