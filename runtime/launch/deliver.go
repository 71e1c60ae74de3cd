package launch

import (
	"fmt"
	"path/filepath"
	"strings"

	"example.org/ripple/schema"
)

// defaultPrefix names staged scripts when init.tempfile does not.
const defaultPrefix = ".ripple-integration-"

// delivery is how the integration script reaches the program.
type delivery struct {
	files         []File
	inject        string
	banner        string
	rcVar, rcPath string // rc_file: the variable, and the directory or file that it names
}

// deliver stages the script as init.delivery says and defines the placeholders
// that depend on it. base is the environment before process.env.
//
//   - launch_command: a file of its own; {script_path}, {tempfile_path} and {path} name
//     it and
//     {init_invocation} runs it, from the template or from a variable of process.env.
//   - pty_inject: with an init_invocation_template the same, and the invocation
//     is typed; without one the script itself is typed.
//   - rc_file: file_name alone in a directory that dir_env_var names, or itself
//     named by file_env_var; {rc_dir_previous} or {rc_file_previous} is that
//     variable's value without us, "" when unset.
func deliver(a *schema.Adapter, r Request, v *values, base *environment) (delivery, error) {
	var d delivery
	script, err := d.addBanner(a, r, v)
	if err != nil {
		return d, err
	}
	switch a.Init.Delivery {
	case schema.DeliverLaunchCommand:
		err = d.stageTempfile(a, r, v, script)
		v.define("init_invocation", oneWord(a.Init.InitInvocationTemplate))
	case schema.DeliverPTYInject:
		err = d.stageInjection(a, r, v, script)
	case schema.DeliverRCFile:
		err = d.stageRCFile(a, r, v, script, base)
	case schema.DeliverNone, "":
		v.define("init_invocation", a.Init.InitInvocationTemplate)
	default:
		err = fmt.Errorf("init.delivery: unknown value %q", a.Init.Delivery)
	}
	return d, err
}

// oneWord is a template for a command line without the quotes around all of it: they
// group there, as in process.command_template, and v1 files write them so.
func oneWord(template string) string {
	if n := len(template); n > 1 && template[0] == '"' && template[n-1] == '"' && !strings.Contains(template[1:n-1], `"`) {
		return template[1 : n-1]
	}
	return template
}

// addBanner gives the script with the banner before it, or puts the banner aside
// to be shown before the program starts. Its words come from a caller, so in a
// script they are escaped for the adapter's quotes.
func (d *delivery) addBanner(a *schema.Adapter, r Request, v *values) (string, error) {
	injection := a.Init.BannerInjection
	if injection == nil {
		return a.Script, nil
	}
	switch injection.Mode {
	case "write_before_pty":
		d.banner = bannerText(injection, r, v)
		return a.Script, nil
	case "prepend_to_tempfile":
		for _, name := range []string{"banner", "reason"} {
			if err := v.quote(name, v.all[name], a.Capabilities.CdCommandQuote); err != nil {
				return "", fmt.Errorf("the %s: %w", name, err)
			}
		}
		// Expanded with the rest of the script.
		return joinLines(templates(injection, r), a.Script), nil
	}
	return a.Script, nil
}

// templates are those of the banner and the reason, where there is one to show.
func templates(b *schema.BannerInjection, r Request) string {
	var banner, reason string
	if r.Banner != "" {
		banner = b.BannerTemplate
	}
	if r.Reason != "" {
		reason = b.ReasonTemplate
	}
	return joinLines(banner, reason)
}

// bannerText is the text itself where the adapter has no template for it.
func bannerText(b *schema.BannerInjection, r Request, v *values) string {
	own := *b
	if own.BannerTemplate == "" {
		own.BannerTemplate = "{banner}"
	}
	if own.ReasonTemplate == "" {
		own.ReasonTemplate = "{reason}"
	}
	return v.expand(templates(&own, r))
}

// joinLines puts b on the line after a.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, "\n") + "\n" + b
}

func (d *delivery) stageTempfile(a *schema.Adapter, r Request, v *values, script string) error {
	if script != "" {
		prefix, extension := defaultPrefix, ""
		if t := a.Init.Tempfile; t != nil {
			extension = t.Extension
			if t.Prefix != "" {
				prefix = t.Prefix
			}
		}
		name := prefix + v.all["guid"] + extension
		if err := plainName("init.tempfile", name); err != nil {
			return err
		}
		d.stage(filepath.Join(r.ScratchDir, name), script, v)
	}
	v.define("init_invocation", a.Init.InitInvocationTemplate)
	return nil
}

func (d *delivery) stageInjection(a *schema.Adapter, r Request, v *values, script string) error {
	if a.Init.InitInvocationTemplate == "" {
		d.inject = strings.TrimRight(v.expand(script), "\r\n")
		return nil
	}
	if err := d.stageTempfile(a, r, v, script); err != nil {
		return err
	}
	d.inject = strings.TrimRight(v.all["init_invocation"], "\r\n")
	return nil
}

func (d *delivery) stageRCFile(a *schema.Adapter, r Request, v *values, script string, base *environment) error {
	rc := a.Init.RCFile
	if rc == nil || rc.DirEnvVar == "" && rc.FileEnvVar == "" || rc.FileName == "" {
		return fmt.Errorf("init.delivery rc_file needs init.rc_file.file_name, and init.rc_file.dir_env_var or file_env_var")
	}
	if err := plainName("init.rc_file.file_name", rc.FileName); err != nil {
		return err
	}
	dir := filepath.Join(r.ScratchDir, "startup")
	file, placeholder := filepath.Join(dir, rc.FileName), "rc_dir_previous"
	d.rcVar, d.rcPath = rc.DirEnvVar, dir
	if rc.FileEnvVar != "" {
		d.rcVar, d.rcPath, placeholder = rc.FileEnvVar, file, "rc_file_previous"
	}
	previous := previousValue(d.rcVar, a, r, v, base)
	if err := v.quote(placeholder, previous, a.Capabilities.CdCommandQuote); err != nil {
		return fmt.Errorf("the value of %s: %w", d.rcVar, err)
	}
	d.stage(file, script, v)
	v.define("init_invocation", a.Init.InitInvocationTemplate)
	return nil
}

// previousValue is what the variable would hold if the adapter did not take it.
func previousValue(name string, a *schema.Adapter, r Request, v *values, base *environment) string {
	for i := len(r.Env) - 1; i >= 0; i-- {
		if key, value, _ := strings.Cut(r.Env[i], "="); key == name {
			return value
		}
	}
	if declared, ok := a.Process.Env[name]; ok {
		return v.expand(declared)
	}
	return base.vars[name]
}

// stage adds the script, expanded, under a path that its placeholders name too.
func (d *delivery) stage(path, script string, v *values) {
	for _, name := range []string{"script_path", "tempfile_path", "path"} {
		v.all[name] = path
	}
	d.files = append(d.files, File{Path: path, Body: []byte(v.expand(script))})
}

// plainName refuses a file name that would lead out of its directory.
func plainName(key, name string) error {
	if strings.ContainsAny(name, "/\\\x00") || !filepath.IsLocal(name) {
		return fmt.Errorf("%s: %q is not a plain file name", key, name)
	}
	return nil
}
