package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/testkit"
)

// action is the part of the action for adapter authors that these tests read.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []step }
}

type step struct {
	Name, Run, Shell, Uses string
	Env, With              map[string]string
}

var input = regexp.MustCompile(`\$\{\{ inputs\.(\w+) \}\}`)

// runAction runs the action's own run steps in a directory, like a runner; steps with other actions
// are not run. The program that the action builds is in temp.
func runAction(t *testing.T, temp, dir string, inputs map[string]string) (output string, err error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "action.yml"))
	require.NoError(t, err)
	var a action
	require.NoError(t, yaml.Unmarshal(data, &a))
	here, err := filepath.Abs(root)
	require.NoError(t, err)
	added := filepath.Join(t.TempDir(), "path")
	for _, s := range a.Runs.Steps {
		if s.Uses != "" {
			continue
		}
		require.Equal(t, "bash", s.Shell, s.Name)
		assert.NotContains(t, s.Run, "${{", "%s: an input in a script would be run as code", s.Name)
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir = dir
		path, _ := os.ReadFile(added) // the first step has not set it
		cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+here, "RUNNER_TEMP="+temp, "GITHUB_PATH="+added,
			"PATH="+strings.TrimSpace(string(path))+":"+os.Getenv("PATH"))
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+input.ReplaceAllStringFunc(value, func(of string) string {
				name := input.FindStringSubmatch(of)[1]
				declared, is := a.Inputs[name]
				require.True(t, is, "%s: unknown input %s", s.Name, name)
				if given, is := inputs[name]; is {
					return given
				}
				return declared.Default
			}))
		}
		out, err := cmd.CombinedOutput()
		output += string(out)
		if err != nil {
			return output, err
		}
	}
	return output, nil
}

// The action builds ripple, runs the install command, lints and tests; a failing test fails the
// action, and its line is annotated.
func TestAction(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bc"); err != nil {
		t.Skip("bc is not installed")
	}
	text, err := os.ReadFile(filepath.Join(root, "adapters", "bc.yaml"))
	require.NoError(t, err)
	temp, dir := t.TempDir(), t.TempDir() // the second run finds the program that the first one has built
	inputs := map[string]string{"install": "echo installed >done"}
	if !testkit.Thorough { // the first one neither links it, as the go command finds a copy that is up to date, nor runs all tests
		copyOfRipple(t, filepath.Join(temp, "ripple"))
		inputs["arguments"] = "--require --filter ^arithmetic$"
	}
	file := filepath.Join(dir, "bc.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	out, err := runAction(t, temp, dir, inputs)
	require.NoError(t, err, "%s", out)
	assert.FileExists(t, filepath.Join(dir, "done"))

	broken := strings.Replace(string(text), "^1606938044", "^never", 1) // the pattern of the multiplication test
	require.NotEqual(t, string(text), broken)
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o600))
	out, err = runAction(t, temp, dir, map[string]string{"adapters": "bc.yaml", "arguments": "--require --filter ^arithmetic$"})
	require.Error(t, err, "%s", out)
	assert.Regexp(t, `(?m)^::error file=.*bc\.yaml,line=\d+`, out)
}

// copyOfRipple writes the program to a new directory.
func copyOfRipple(t *testing.T, dir string) {
	t.Helper()
	path, err := testkit.Binary()
	require.NoError(t, err)
	program, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ripple"), program, 0o700))
}

// The workflow only passes inputs that the action has.
func TestActionWorkflow(t *testing.T) {
	var a action
	var w struct {
		On struct {
			Call struct{ Inputs map[string]any } `yaml:"workflow_call"`
		}
		Jobs map[string]struct{ Steps []step }
	}
	for file, into := range map[string]any{"action.yml": &a, ".github/workflows/adapter.yml": &w} {
		data, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(data, into), file)
		for _, of := range input.FindAllStringSubmatch(string(data), -1) {
			if file != "action.yml" {
				assert.Contains(t, w.On.Call.Inputs, of[1])
			}
		}
	}
	steps := w.Jobs["test"].Steps
	require.NotEmpty(t, steps)
	last := steps[len(steps)-1]
	assert.Equal(t, "./.ripple-source", last.Uses)
	for name := range last.With {
		assert.Contains(t, a.Inputs, name)
	}
}

var ciStep = regexp.MustCompile(`(?m)^step (\S+) (both|ci) `)

// Each step of .ci/run is in exactly one job of the workflow, except build, which each job runs, and
// install, which several need.
func TestEachStepIsInOneJob(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".ci/steps"))
	require.NoError(t, err)
	var steps []string
	for _, of := range ciStep.FindAllStringSubmatch(string(text), -1) {
		if of[1] != "build" && of[1] != "install" {
			steps = append(steps, of[1])
		}
	}
	require.NotEmpty(t, steps)

	var w struct {
		Jobs struct {
			Linux struct {
				Strategy struct {
					Matrix struct{ Include []struct{ Steps string } }
				}
			}
		}
	}
	text, err = os.ReadFile(filepath.Join(root, ".github/workflows/ci.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &w))
	var inJobs []string
	for _, job := range w.Jobs.Linux.Strategy.Matrix.Include {
		for _, name := range strings.Fields(job.Steps) {
			if name != "install" {
				inJobs = append(inJobs, name)
			}
		}
	}
	assert.ElementsMatch(t, steps, inJobs)
}
