package schema

// check reports contradictions between keys. It runs on what could be read of
// a file, so a rule speaks only about values that are set.
func (d *document) check(a *Adapter) {
	d.checkInit(a)
}

func (d *document) checkInit(a *Adapter) {}

func (d *document) errorPointer(pointer, kind, format string, args ...any) {
	p := d.position(pointer)
	d.errorAt(p.Line, p.Column, kind, format, args...)
}
