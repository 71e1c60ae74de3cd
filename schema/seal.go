package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// sealed is what Encode writes.
type sealed struct {
	Source string `json:"source"`
	Script string `json:"script"`
	Text   []byte `json:"text"`
}

// Encode encodes an adapter that was read from text, with its script. Decode returns the same
// adapter even if the files have changed.
func (a *Adapter) Encode(text []byte) ([]byte, error) {
	return json.Marshal(sealed{a.Source, a.Script, text})
}

// Digest returns a hexadecimal digest of the text and the script of an adapter that Encode encoded,
// independent of how its path is written; empty if there is none.
func Digest(encoded []byte) string {
	var s sealed
	if json.Unmarshal(encoded, &s) != nil {
		return ""
	}
	s.Source = ""
	data, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Decode decodes an adapter that Encode of the same version of ripple encoded.
func Decode(data []byte) (*Adapter, error) {
	var s sealed
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	a, d := decodeValid(s.Source, s.Text)
	if a == nil {
		return nil, fmt.Errorf("the adapter from another process does not load: %s", d.diags[0])
	}
	a.Script = s.Script
	return a, nil
}
