package contract

import (
	"context"
	"os"

	"ripple/runtime/launch"
	"ripple/schema"
)

// version asks the program in the surroundings of the tests.
func version(ctx context.Context, a *schema.Adapter, path string, around *surroundings) string {
	defer join(false)()
	home, err := around.newHome()
	if err != nil {
		return "" // the first session will say so
	}
	return launch.Version(ctx, a, path, around.work, append(os.Environ(), around.env(a, home)...))
}
