// Package jsonsize computes the length of a value's JSON without encoding it. Values of a jq program
// may share parts, so the JSON of a small value may be of any length.
package jsonsize

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"
)

// Most is the number of bytes that the JSON of one value may have.
const Most = 64 << 20

// TooLargeError is a value whose JSON is longer than Most.
type TooLargeError struct{}

func (TooLargeError) Error() string {
	return fmt.Sprintf("a value of more than %d MB as JSON", Most>>20)
}

// Of returns about the number of bytes of a value's JSON, never much less; or most + 1 if there
// are more than most. v is as jq has it: nil, bool, a number, string, []any or map[string]any.
// It takes time for each part of the value once, however often the value has it.
func Of(v any, most int) int {
	c := counter{most: most}
	return c.size(v)
}

const (
	number = 25   // bytes of the longest float64
	small  = 1000 // parts of a value in which it is not worth it to look for shared ones
)

// part is the identity of a part of a value: where its elements are, and how many.
type part struct {
	at  unsafe.Pointer
	len int
}

type counter struct {
	most  int
	parts int
	sizes map[part]int // of parts that were counted
}

func (c *counter) size(v any) int {
	switch v := v.(type) {
	case string:
		return min(quoted(v), c.most+1)
	case json.Number:
		return min(len(v), c.most+1)
	case []any:
		return c.once(part{unsafe.Pointer(unsafe.SliceData(v)), len(v)}, func() int {
			n := 2 + len(v)
			for _, e := range v {
				if n += c.size(e); n > c.most {
					break
				}
			}
			return n
		})
	case map[string]any:
		return c.once(part{reflect.ValueOf(v).UnsafePointer(), -1}, func() int {
			n := 2
			for key, e := range v {
				if n += quoted(key) + 2 + c.size(e); n > c.most {
					break
				}
			}
			return n
		})
	case nil, bool:
		return 5
	case interface{ BitLen() int }: // *big.Int
		return v.BitLen()/3 + 2
	}
	return number
}

// once counts a part, unless it was counted before.
func (c *counter) once(p part, count func() int) int {
	if n, known := c.sizes[p]; known {
		return n
	}
	n := min(count(), c.most+1)
	if c.parts++; c.parts > small {
		if c.sizes == nil {
			c.sizes = map[part]int{}
		}
		c.sizes[p] = n
	}
	return n
}

// quoted is the length of a string with its quotes, where each character that may need one has
// the longest escape.
func quoted(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f {
			n += 5
		}
	}
	return n
}
