// Package acp is a client of the Agent Client Protocol, version 1
// (https://agentclientprotocol.com, schema 1.x): the part that decides, without a
// process and without a clock.
//
// A Client gets each line that an agent prints (Line), the answers to what the
// agent asked (Answer), and says what to write to it and which events happened
// (Calls). It opens a connection, begins or continues one session, and gives it
// one prompt; the prompt's answer is the end (Finished event). What it does not
// know becomes an event of type unknown and is kept. Nothing that an agent prints
// makes it fail, grow without bounds, or ask twice what comes twice: a request that
// comes again has the same answer.
//
// Version 2 of the protocol, a draft, in which a prompt's answer does not end the
// turn, is refused by name.
package acp

// Version is the version of the protocol that is spoken.
const Version = 1
