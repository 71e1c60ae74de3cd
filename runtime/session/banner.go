package session

import "strings"

// showBanner puts the text of init.banner_injection, which is shown before the program starts, in
// front of the program's own output.
func (d *driver) showBanner() {
	if d.plan.Banner == "" {
		return
	}
	text := []byte(strings.ReplaceAll(strings.TrimSuffix(d.plan.Banner, "\n"), "\n", "\r\n") + "\r\n")
	d.stream.startup = append(d.stream.startup, text...)
	if d.events.watched() {
		d.events.report(EventRead, text, "")
	}
}
