# Translates the output of an agent that only ripple.yml describes (cli.output: json): one
# JSON value, or one per line. The keys of the session's ID are those of the Ralph reference,
# in its order. A value without any of these keys is not an event and is kept as unknown.
def found(f): [f | strings | select(. != "")] | first // empty;
def session: found(.sessionId, .metadata.session_id?, .session_id);
def said: found(.result, .response, .text);

if type == "array" then .[] else . end
| objects
| (session | {type: "session", id: .}),
  if .is_error == true then {type: "finished", is_error: true, result: (said // null)}
  else (said | {type: "text", text: .}) end
