package box

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The program's variables are set in the box only, where bubblewrap has started with none but PWD.
func TestEnvironmentOfTheProgram(t *testing.T) {
	t.Setenv("PWD", "/tree")
	t.Setenv("A_OF_THE_BOX", "")
	t.Setenv("B_OF_THE_BOX", "")
	assert.NoError(t, os.Unsetenv("A_OF_THE_BOX"))
	assert.NoError(t, os.Unsetenv("B_OF_THE_BOX"))
	o := order{Env: textsOf([]string{"A_OF_THE_BOX=1", "PWD=/elsewhere", "B_OF_THE_BOX=\xe9=", "A_OF_THE_BOX=2", "none"})}
	o.setEnv()
	assert.Equal(t, "2", os.Getenv("A_OF_THE_BOX"))
	assert.Equal(t, "\xe9=", os.Getenv("B_OF_THE_BOX"))
	assert.Equal(t, "/tree", os.Getenv("PWD"))
}
