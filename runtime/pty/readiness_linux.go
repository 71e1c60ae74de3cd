package pty

func (p *PTY) readiness() Readiness { return Readiness{} }
