package schema

// Lint reports, as warnings, what is legal in a file but likely wrong. A file
// that does not load gets its errors instead.
func Lint(source string, data []byte, o Options) []Diagnostic {
	a, d := parse(source, data, o)
	if a == nil || len(d.diags) > 0 {
		return sortDiagnostics(d.diags)
	}
	return nil
}
