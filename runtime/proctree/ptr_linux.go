package proctree

import (
	"time"
	"unsafe"
)

// past is a deadline that wakes whoever waits.
var past = time.Unix(1, 0)

func ptr(p *int32) uintptr { return uintptr(unsafe.Pointer(p)) }
