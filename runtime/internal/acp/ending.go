package acp

import (
	"encoding/json"
	"fmt"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// foreign returns the message about a response that cannot be read.
func foreign(method string, result json.RawMessage) string {
	return fmt.Sprintf("the agent's response to %s does not follow the protocol: %.200s", method, result)
}

// kindOf is the kind of an error that needs no words to be known, or "".
func kindOf(e *rpc.Error) event.Kind { return kindsOfCodes[e.Code] }

// kindsOfCodes has the kinds of errors by their codes. JSON-RPC reserves negative codes; a code that
// is an HTTP status is the provider's answer. A 500 is not here: some agents use it for every error.
var kindsOfCodes = map[int]event.Kind{
	rpc.CodeLogin:     event.Auth,
	rpc.CodeCancelled: event.Interrupted,
	401:               event.Auth,
	403:               event.Auth,
	429:               event.Limited,
	502:               event.Overloaded,
	503:               event.Overloaded,
	504:               event.Overloaded,
	529:               event.Overloaded, // not registered: https://docs.claude.com/en/api/errors
}

// ended returns the meaning of a stop reason
// (https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons).
func ended(reason string) event.Event {
	switch reason {
	case "end_turn":
		return event.Event{}
	case "max_turn_requests":
		return event.Event{IsError: true, Kind: event.MaxTurns, Result: "the agent reached the maximum number of requests of a turn (max_turn_requests)"}
	case "max_tokens":
		return event.Event{IsError: true, Kind: event.MaxTurns, Result: "the model's answer reached the maximum number of tokens (max_tokens)"}
	case "refusal":
		return event.Event{IsError: true, Kind: event.ModelError, Result: "the model refused to continue (refusal)"}
	case "cancelled":
		return event.Event{IsError: true, Kind: event.Interrupted, Result: "the turn was canceled"}
	}
	return event.Event{IsError: true, Kind: event.ModelError, Result: fmt.Sprintf("the turn ended for an unknown reason: %q", reason)}
}
