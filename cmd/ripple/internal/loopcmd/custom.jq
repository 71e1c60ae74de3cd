# The output of an agent that only ripple.yml describes (cli.output: json): one JSON
# value, or one a line. Names of a session's id as the Ralph reference looks for them,
# in its order; a value that has none of these names is no event, and kept as unknown.
def found(f): [f | strings | select(. != "")] | first // empty;
def session: found(.sessionId, .metadata.session_id?, .session_id);
def said: found(.result, .response, .text);

if type == "array" then .[] else . end
| objects
| (session | {type: "session", id: .}),
  if .is_error == true then {type: "finished", is_error: true, result: (said // null)}
  else (said | {type: "text", text: .}) end
