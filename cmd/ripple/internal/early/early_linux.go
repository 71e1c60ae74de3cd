package early

import (
	"os"

	"ripple/internal/keeper"
)

func init() {
	if Guarded(os.Args[1:]) {
		keeper.Early()
	}
}
