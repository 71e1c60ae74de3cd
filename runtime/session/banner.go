package session

import "strings"

// showBanner makes the text that init.banner_injection shows before the program
// starts the first of what it prints.
func (d *driver) showBanner() {
	if d.plan.Banner == "" {
		return
	}
	text := []byte(strings.ReplaceAll(strings.TrimSuffix(d.plan.Banner, "\n"), "\n", "\r\n") + "\r\n")
	d.stream.startup = append(d.stream.startup, text...)
	if d.events.watched() {
		d.events.tell(EventRead, text, "")
	}
}
