package mapping

import "time"

// SetLimit sets the time limit of a program.
func SetLimit(p *Program, d time.Duration) { p.limit = d }
