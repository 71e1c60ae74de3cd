//go:build unix

package console

import "testing"

// Exchange is an exchange of the first host, for tests from outside.
type Exchange struct {
	Name, Method, Path, Request string
	Status                      int
	Answer                      string
}

// FirstExchanges is the first host's conversation.
func FirstExchanges(t *testing.T) []Exchange {
	var all []Exchange
	for _, e := range exchanges(t) {
		all = append(all, Exchange{e.name, e.method, e.path, e.request, e.status, e.answer})
	}
	return all
}

// RequireWithin says where one answer has not what another one has.
func RequireWithin(t *testing.T, where string, wanted, has any) {
	within(t, where, shape(wanted), shape(has))
}
