// Package acp is a client of the Agent Client Protocol, version 1
// (https://agentclientprotocol.com, schema 1.x): the part that decides, without a process
// and without a clock.
//
// A Client receives each line that an agent prints (Line) and the answers to the agent's
// questions (Answer), and returns the messages to write and the events that happened
// (Calls). It opens a connection, begins or continues one session, and sends one prompt;
// the response to the prompt is the end (Finished event). Unknown messages become events
// of type unknown and are kept. No output of an agent makes it fail, grow without bounds,
// or ask a repeated question twice: a repeated request gets the same answer.
//
// Version 2 of the protocol, a draft in which the response to a prompt does not end the
// turn, is refused by name.
package acp

// protocolVersion is the version of the protocol that is spoken.
const protocolVersion = 1
