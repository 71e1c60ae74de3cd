package schema

// Probe is the health check: one line of code and what it must print.
type Probe struct {
	Eval   string `yaml:"eval"`
	Expect string `yaml:"expect"`

	Pos Position `yaml:"-"`
}

// Test is one contract test.
type Test struct {
	Name          string  `yaml:"name"`
	Setup         *string `yaml:"setup"`
	SetupSequence []Step  `yaml:"setup_sequence"`
	Step          `yaml:",inline"`
	AgentTest     `yaml:",inline"`
	TimeoutMS     int        `yaml:"timeout_ms"` // default 15000
	Isolated      bool       `yaml:"isolated"`
	Needs         *TestNeeds `yaml:"needs"`

	Pos Position `yaml:"-"`
}

// TestNeeds is what a test needs of the machine: the program, run by itself with Args, prints
// something that the pattern Prints matches. Where it does not, the test is not applicable.
type TestNeeds struct {
	What   string   `yaml:"what"`
	Args   []string `yaml:"args"`
	Prints string   `yaml:"prints"`
}

// Step is one evaluation with its assertions; nil means "not asserted".
type Step struct {
	Eval                 *string `yaml:"eval"`
	Expect               *string `yaml:"expect"`
	ExpectError          *bool   `yaml:"expect_error"`
	ExpectExitCode       *int    `yaml:"expect_exit_code"`
	ExpectCwdUpdate      *bool   `yaml:"expect_cwd_update"`
	ExpectMode           *string `yaml:"expect_mode"`
	ExpectLevel          *int    `yaml:"expect_level"`
	ExpectOutOfBand      *string `yaml:"expect_out_of_band"`
	ExpectNoLastExit     *bool   `yaml:"expect_no_last_exit"`
	ExitCodeIsUnreliable bool    `yaml:"exit_code_is_unreliable"`

	Pos Position `yaml:"-"`
}

// Samples are one-liners in the adapter's language from which the derived
// tests are made; empty means "not available". Placeholders: {text}, {n}, {path}.
type Samples struct {
	Print      string `yaml:"print"`
	PrintLines string `yaml:"print_lines"`
	Error      string `yaml:"error"`
	Busy       string `yaml:"busy"`
	Sleep      string `yaml:"sleep"`
	ReadLine   string `yaml:"read_line"`
	ReadSecret string `yaml:"read_secret"`
	Multiline  string `yaml:"multiline"`
	SetVar     string `yaml:"set_var"`
	GetVar     string `yaml:"get_var"`
	RawBytes   string `yaml:"raw_bytes"`
	Comment    string `yaml:"comment"`
	Cd         string `yaml:"cd"`
}
