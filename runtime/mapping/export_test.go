package mapping

import "time"

// SetLimit shortens the time that a program may take.
func SetLimit(p *Program, d time.Duration) { p.limit = d }
