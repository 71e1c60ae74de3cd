package schema

// Init describes how the integration reaches the program.
type Init struct {
	Strategy               InitStrategy     `yaml:"strategy"`
	HookType               string           `yaml:"hook_type"`
	Delivery               Delivery         `yaml:"delivery"`
	ScriptResource         string           `yaml:"script_resource"`
	Script                 string           `yaml:"script"`
	InitInvocationTemplate string           `yaml:"init_invocation_template"`
	Tempfile               *InitTempfile    `yaml:"tempfile"`
	BannerInjection        *BannerInjection `yaml:"banner_injection"`
	RCFile                 *RCFile          `yaml:"rc_file"`
	Marker                 *Marker          `yaml:"marker"`
}

// InitStrategy is the way in which prompts become detectable.
type InitStrategy string

const (
	InitShellIntegration InitStrategy = "shell_integration"
	InitMarker           InitStrategy = "marker"
	InitPromptVariable   InitStrategy = "prompt_variable"
	InitRegex            InitStrategy = "regex"
	InitNone             InitStrategy = "none"
)

// Delivery is the way in which the program gets the integration script.
type Delivery string

const (
	DeliverLaunchCommand Delivery = "launch_command" // as a staged file that the command line or process.env names
	DeliverPTYInject     Delivery = "pty_inject"     // typed at the first prompt
	DeliverRCFile        Delivery = "rc_file"        // as a startup file; an environment variable names it or its directory
	DeliverNone          Delivery = "none"           // not at all
)

// InitTempfile names the staged integration script.
type InitTempfile struct {
	Prefix    string `yaml:"prefix"`
	Extension string `yaml:"extension"`
}

// BannerInjection shows a banner at startup.
type BannerInjection struct {
	Mode           string `yaml:"mode"` // prepend_to_tempfile, write_before_pty, none
	BannerTemplate string `yaml:"banner_template"`
	ReasonTemplate string `yaml:"reason_template"`
}

// RCFile stages the script as a startup file found through an environment variable.
type RCFile struct {
	DirEnvVar  string `yaml:"dir_env_var"`  // names the file's directory, or
	FileEnvVar string `yaml:"file_env_var"` // the file itself
	FileName   string `yaml:"file_name"`
}

// Marker holds literal prompts, matched as bytes.
type Marker struct {
	Primary      string `yaml:"primary"`
	Continuation string `yaml:"continuation"`
}
