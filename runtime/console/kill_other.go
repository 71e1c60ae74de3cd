//go:build !linux && !darwin

package console

import "errors"

func killHost(string) error {
	return errors.New("this system does not report which process listens on a socket: end the host by its process ID")
}
