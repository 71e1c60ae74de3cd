//go:build unix

package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// recording is what an agent prints in a turn, and how it ends.
type recording struct {
	lines  []string
	code   int
	stderr string
}

// How each agent reports a failure and an answer, with text instead of its words.
var (
	claudeResult = func(isError, more string) func(string) recording {
		return func(words string) recording {
			said := quote(words)
			code := 0
			if isError == "true" {
				code = 1
			}
			return recording{[]string{
				`{"type":"assistant","message":{"content":[{"type":"text","text":` + said + `}]},"parent_tool_use_id":null,"session_id":"s"` + more + `}`,
				`{"type":"result","subtype":"success","is_error":` + isError + `,"num_turns":1,"result":` + said + `,"session_id":"s"}`,
			}, code, ""}
		}
	}
	claudeFails  = claudeResult("true", `,"error":"unknown"`)
	claudeSays   = claudeResult("false", "")
	claudeStatus = func(status string) recording {
		return recording{[]string{`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"words of a later version","session_id":"s",` + status + `}`}, 1, ""}
	}
	codexFails = func(words string) recording {
		return recording{[]string{`{"type":"error","message":` + quote(words) + `}`, `{"type":"turn.failed","error":{"message":` + quote(words) + `}}`}, 1, ""}
	}
	codexCompacts = func(words string) recording { return codexFails("Error running remote compact task: " + words) }
	qwenFails     = func(words string) recording {
		return recording{[]string{`{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1,"error":{"message":` + quote(words) + `}}`}, 1, ""}
	}
	geminiFails = func(words string) recording {
		return recording{[]string{`{"type":"result","status":"error","error":{"type":"unknown","message":` + quote(words) + `}}`}, 1, ""}
	}
	geminiSays = func(words string) recording {
		return recording{[]string{`{"type":"message","role":"assistant","content":` + quote(words) + `,"delta":true}`, `{"type":"result","status":"success"}`}, 0, ""}
	}
	opencodeFails = func(e string) recording {
		return recording{[]string{`{"type":"error","timestamp":1,"sessionID":"s","error":` + e + `}`}, 1, ""}
	}
	opencodeLogs = func(small string) func(string) recording { // with 1.18.33, without a network
		return func(words string) recording {
			return recording{nil, 1, `timestamp=2026-11-28T00:36:21.458Z level=ERROR run=723f69f4 message="stream error" providerID=anthropic modelID=m session.id=s small=` + small +
				` agent=build mode=primary error.error="AI_APICallError: ` + words + `"` + "\n"}
		}
	}
	copilotFails = func(data string) recording {
		return recording{[]string{`{"type":"session.error","data":` + data + `}`, `{"type":"result","sessionId":"s","exitCode":1,"usage":{}}`}, 1, ""}
	}
	piFails = func(words string) recording {
		m := `{"role":"assistant","content":[],"stopReason":"error","errorMessage":` + quote(words) + `}`
		return recording{[]string{`{"type":"message_end","message":` + m + `}`, `{"type":"agent_end","messages":[` + m + `]}`}, 0, ""}
	}
)

func quote(words string) string {
	b, err := json.Marshal(words)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func each(how func(string) recording, words ...string) (list []recording) {
	for _, w := range words {
		list = append(list, how(w))
	}
	return list
}

// A login does not help an account without credit, so the advice is another one.
func TestAnAccountWithoutCreditHasAdvice(t *testing.T) {
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	e, err := r.Find("claude")
	require.NoError(t, err)
	for _, how := range []func(string) recording{claudeSays, claudeResult("true", `,"error":"billing_error"`)} {
		said := how("Credit balance is too low")
		out, err := agent.Replay(e.Adapter, agent.Recording{
			Output: strings.NewReader(strings.Join(said.lines, "\n")), ExitCode: said.code, Stderr: strings.NewReader(""),
		}, func(event.Event) {})
		require.NoError(t, err)
		require.NotNil(t, out.Failure)
		assert.Equal(t, event.Auth, out.Failure.Kind)
		assert.Contains(t, out.Failure.Hint, "add credits")
	}
}

// onStderr is a turn that ends with nothing but words on standard error.
func onStderr(words string) recording { return recording{nil, 1, words + "\n"} }

// Each built-in agent's failures have the kinds to which a loop reacts. Status fields decide where
// an agent has any, whatever the words are; where there are only words, they vary here.
func TestFailuresOfBuiltInAgents(t *testing.T) {
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	for _, c := range testkit.FewerOf(t, 20, []struct {
		agent string
		want  event.Kind
		cases []recording
	}{
		{"claude", event.Overloaded, each(
			claudeStatus, `"api_error_status":529`, `"api_error_status":500,"terminal_reason":"api_error"`, `"api_error_status":503`, `"api_error_status":408`,
		)},
		{"claude", event.Limited, each(claudeStatus, `"api_error_status":429`)},
		{"claude", event.Auth, each(claudeStatus, `"api_error_status":401`, `"api_error_status":403`)},
		{"claude", event.ContextFull, each(claudeStatus, `"terminal_reason":"prompt_too_long"`, `"terminal_reason":"blocking_limit"`)},
		{"claude", event.ModelError, each(claudeStatus, `"api_error_status":400`, `"terminal_reason":"model_error"`)},
		{"claude", event.Overloaded, each(
			claudeFails, "API Error: 529 Overloaded", `API Error: 500 {"type":"error","error":{"type":"api_error"}}`, "API Error: Repeated 529 Overloaded errors",
			"API Error: Connection error.", "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
			"API Error: Request timed out.", "API Error: Unable to connect to API (ECONNREFUSED)",
			"API Error: 529 Overloaded. This is a server-side issue, usually temporary",
		)},
		{"claude", event.Overloaded, each(
			claudeFails, "API Error: Connection dropped (ECONNRESET)", "API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)",
			"API Error: No internet route — check your connection or VPN (ENETUNREACH)", "API Error: The API is temporarily unavailable", "API Error: No response from API",
		)},
		{"claude", event.ModelError, each(
			claudeFails, "API Error: Unable to connect to API: SSL certificate has expired", "API Error: Unable to connect to API: Self-signed certificate detected",
		)},
		{"claude", event.ContextFull, each(
			claudeFails, "Prompt is too long", "Prompt is too long · automatic compaction failed: no messages",
			`API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 205162 tokens > 200000 maximum"}}`,
		)},
		{"claude", event.ContextFull, each(claudeSays, "Prompt is too long", "Prompt is too long: 205162 tokens > 200000 maximum", "Prompt is too long.\n")},
		{"claude", event.Overloaded, each(claudeSays, "API Error: 529 Overloaded", `API Error: 500 {"type":"error"}`, "API Error: 529")},
		{"claude", event.Limited, each(claudeSays, "API Error: 429 Too many requests")},
		{"claude", event.Auth, each(claudeSays, "API Error: 401 Invalid API key · Please run /login")},
		{"claude", event.Overloaded, each(
			claudeSays, "API Error: Overloaded", "API Error: Connection error.", "API Error: Request timed out.", "Unable to connect to API (ECONNREFUSED)",
			"API Error: Unable to connect to API (ECONNRESET)", "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
			"API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)", "API Error (529 overloaded_error)", "Internal error: API Error: 529 Overloaded",
		)},
		{"claude", event.Limited, each(
			claudeSays, "API Error: Request rejected (429) · Rate limited", "Claude AI usage limit reached|1796000000", "Claude usage limit reached. Your limit will reset at 3pm (Europe/Berlin).",
			"You've hit your session limit · resets 3pm", "You've hit your limit · resets 10pm (America/New_York)", "You’ve reached your usage limit", "5-hour limit reached ∙ resets 3pm",
		)},
		{"claude", event.Auth, each(
			claudeSays, "Invalid API key · Please run /login", "Invalid API key · Fix external API key", "Not logged in · Please run /login", "Credit balance is too low",
			"OAuth token has expired · Please run /login", `Please run /login · API Error: 401 {"type":"error"}`, "Your organization has been disabled.",
		)},
		{"claude", event.ContextFull, each(claudeSays, "Context low · Run /compact to compact & continue")},
		{"claude", event.ModelError, each(claudeSays, "API Error: Unable to connect to API: SSL certificate has expired")},
		{"claude", "", each(
			claudeSays, "API Error: Overloaded is the text of a test.", "You've hit your limit in the table below, so I raised it.", "Invalid API key is what the test expects.",
			"Claude usage limit reached, says the log.", "Not logged in: the page now says that.", "Credit balance is too low in the fixture.", "Your organization has two members.",
			"The rate limit reached 5 in the test.", "Connection error handling is done.", "You've reached your usage limit\n\nis the new message.",
		)},
		{"claude", event.ContextFull, each(claudeResult("false", `,"error":"invalid_request"`), "Prompt is too long")},
		{"claude", event.ModelError, each(claudeSays, "API Error: 400 No such model", `API Error: 404 {"type":"error"}`)},
		{"claude", "", each(
			claudeSays, "Prompt is too long, so I made it shorter.", "The log has: API Error: 529 Overloaded", "API Error: 529 is in the log.",
			"I fixed the handling of 429.", "429", "API Error: 429 Too many requests\n\nThat is the error in the log.",
		)},

		{"codex", event.Overloaded, each(
			codexFails, "stream disconnected before completion: error sending request for url (https://a/b)", "stream disconnected before completion",
			"We're currently experiencing high demand, which may cause temporary errors.", "We’re currently experiencing high demand.",
			"Selected model is at capacity. Please try a different model.", "unexpected status 503 Service Unavailable: busy", "unexpected status 500 Internal Server Error",
			"exceeded retry limit, last status: 502 Bad Gateway",
		)},
		{"codex", event.ContextFull, each(
			codexFails, "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
			"Your input exceeds the context window of this model. Please adjust your input and try again.",
		)},
		{"codex", event.Limited, each(
			codexFails, "stream disconnected before completion: Rate limit reached for gpt-5.5 in organization o on tokens per min (TPM): Limit 30000, Used 28000, Requested 7527. Please try again in 11.054s.",
			"stream disconnected before completion: Rate limit is exceeded. Try again in 17 seconds.", "stream disconnected before completion: You exceeded your current quota, please check your plan.",
		)},
		{"codex", event.Overloaded, each(codexFails, "stream disconnected before completion: The log says: Rate limit reached")},
		{"codex", event.ContextFull, each(codexFails, "stream disconnected before completion: Your input exceeds the context window of this model.")},
		{"codex", event.Limited, each(codexFails, "You've hit your usage limit. Try again in 2 hours.", "exceeded retry limit, last status: 429 Too Many Requests", "Quota exceeded. Check your plan.")},
		{"codex", event.Auth, each(codexFails, "unexpected status 401 Unauthorized: no key", "unexpected status 403 Forbidden")},
		{"codex", event.ModelError, each(codexFails, "unexpected status 400 Bad Request: no such model, high demand", "Error while reading the server response: HTTP status client error (400 Bad Request)", "stream disconnected before completion: Incomplete response returned, reason: content_filter")},
		{"codex", event.Limited, each(
			codexFails, "rate limit exceeded: slow down", "Your workspace is out of credits. Add credits to continue.", "You hit your spend cap set in your workspace. Increase your spend cap to continue.",
			"Error while reading the server response: HTTP status client error (429 Too Many Requests) for url (http://a/), request id: r",
		)},
		{"codex", event.Overloaded, each(codexFails, "Error while reading the server response: error decoding response body", "Reconnecting... 2/5 (We're currently experiencing high demand)")},
		{"codex", event.Overloaded, each(
			codexCompacts, "stream disconnected before completion: error sending request for url (https://chatgpt.com/backend-api/codex/responses/compact)",
			"We're currently experiencing high demand, which may cause temporary errors.", "Connection failed: x", "unexpected status 502 Bad Gateway",
		)},
		{"codex", event.ContextFull, each(codexCompacts, "Codex ran out of room in the model's context window.", "stream disconnected before completion: Your input exceeds the context window of this model.")},
		{"codex", event.Limited, each(codexCompacts, "You've hit your usage limit. Try again in 2 hours.", "stream disconnected before completion: Rate limit reached for x", "exceeded retry limit, last status: 429 Too Many Requests")},
		{"codex", event.Auth, each(codexCompacts, "unexpected status 401 Unauthorized: no key", "Your access token could not be refreshed.")},
		{"codex", event.ModelError, each(codexCompacts, "Fatal error: unexpected status 503", "stream disconnected before completion: Incomplete response returned, reason: content_filter")},

		{"qwen", event.Limited, each(qwenFails, "[API Error: 429 Too many requests]", `[API Error: {"error":{"code":429,"message":"slow down"}}]`, "[API Error: Throttling.RateQuota]")},
		{"qwen", event.Limited, each(claudeSays, "[API Error: 429 Too many requests]", "[API Error: 429 slow down (rate_limit_exceeded)]\n", `[API Error: 429 [{"code":"x"}]]`)},
		{"qwen", event.Limited, each(claudeSays, "[API Error: quota exceeded]", "[API Error: You exceeded your current quota, please check your plan and billing details.]")},
		{"qwen", event.Auth, each(claudeSays, "[API Error: 401 Incorrect API key provided]", "[API Error: 403 Forbidden]")},
		{"qwen", event.Overloaded, each(claudeSays, "[API Error: 503 Service Unavailable]", "[API Error: 500 Internal Server Error]", "[API Error: Connection error.]")},
		{"qwen", event.Overloaded, each(qwenFails, "[API Error: 502 Bad Gateway]", "[API Error: terminated]", "[API Error: Request timed out.]")},
		{"qwen", event.ContextFull, each(qwenFails, "[API Error: 400 This model's maximum context length is 131072 tokens.]", "[API Error: 400 Your input exceeds the context window of this model. Please adjust your input and try again.]",
			"[API Error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]]")},
		{"qwen", event.Limited, each(
			claudeSays, "Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue using Qwen Code without waiting, upgrade:\n  China: https://a",
			"[API Error: slow down]\nPossible quota limitations in place or slow response times detected. Please wait and try again later.",
		)},
		{"qwen", event.Limited, each(qwenFails, "Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue using Qwen Code without waiting, upgrade:\n  China: https://a")},
		{"qwen", event.Auth, each(claudeSays, "Qwen OAuth free tier has been discontinued as of 2026-04-15.\n\nTo continue using Qwen Code, try one of these alternatives:\n  - a")},
		{"qwen", event.Auth, each(qwenFails, "Qwen OAuth free tier has been discontinued as of 2026-04-15.\n\nTo continue using Qwen Code, try one of these alternatives:\n  - a")},
		{"qwen", event.Auth, []recording{{qwenFails("[API Error: words of a later version]").lines, 41, ""}}},
		{"qwen", event.ModelError, each(claudeSays, "[API Error: 400 no such model]", "[API Error: An unknown error occurred.]", `[API Error: 404 [{"code":"x"}]]`)},
		{"qwen", "", each(
			claudeSays, "[API Error: 400 no such model] is in the log.", "[API Error: 400 no such model]\n\nThat is the error in the log.",
			"Qwen OAuth quota exceeded: this is the message for which you asked.\n\nI fixed it.",
			"[API Error: 429 Too many requests] is in the log.", "The log has [API Error: 429 Too many requests]", "I handle 401 and 429 now.",
			"[API Error: 429 Too many requests], it says.",
		)},

		{"gemini", event.Overloaded, each(
			geminiFails, `[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`,
			`[API Error: The model is overloaded. Please try again later.]`, `[API Error: {"error":{"code":500,"message":"Internal error encountered."}}]`,
			"[API Error: terminated]", "[API Error: fetch failed sending request]", "[API Error: exception TypeError: fetch failed sending request]",
		)},
		{"gemini", event.Overloaded, []recording{
			{[]string{`{"type":"result","status":"error","error":{"message":"words of a later version"}}`}, 247, ""},
			{[]string{`{"type":"result","status":"error","error":{"message":"words of a later version"}}`}, 17, ""},
		}},
		{"gemini", event.ContextFull, each(
			geminiFails, `[API Error: {"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
			"Context window will overflow (estimated: 1200000, remaining: 1000)",
		)},
		{"gemini", event.Limited, each(geminiSays, `[API Error: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]`, "[API Error: You exceeded your current quota.]")},
		{"gemini", event.Auth, each(geminiSays, "[API Error: API key not valid. Please pass a valid API key.]")},
		{"gemini", event.ModelError, each(geminiSays, "", " \n", "[API Error: An unknown error occurred.]", "[API Error: no such model (Status: NOT_FOUND)]")},
		{"gemini", event.Limited, each(
			onStderr, "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 1s.. Retrying after 5762ms...",
			"Attempt 10 failed: You exceeded your current quota, please check your plan.\n* Quota exceeded for metric: x\nSuggested retry after 60s.. Max attempts reached",
			"Attempt 1 failed with status 429. Retrying with backoff...", "Attempt 1 failed with 429 error (no Retry-After header). Retrying with backoff...",
		)},
		{"gemini", event.Overloaded, each(
			onStderr, "Attempt 1 failed: The service is busy.\nSuggested retry after 3s.. Retrying after 3100ms...", "Attempt 10 failed: Internal error. Max attempts reached",
			"Attempt 1 failed with status 503. Retrying with backoff...", "Attempt 1 failed with 5xx error. Retrying with backoff...",
		)},
		{"gemini", event.Crashed, each(onStderr, "Attempt 1 failed: no such file")},
		{"gemini", "", each(geminiSays, "[API Error: no such model] is in the log.", "[API Error: no such model]\nThat is it.", "The model is overloaded, says the log.", `[API Error: {"error":{"code":429}}] is in the log.`, "ok")},

		{"opencode", event.Overloaded, each(
			opencodeFails, `{"name":"APIError","data":{"message":"x","statusCode":529}}`, `{"name":"APIError","data":{"message":"x","statusCode":500,"isRetryable":true}}`,
			`{"name":"APIError","data":{"message":"Cannot connect to API","isRetryable":true}}`,
		)},
		{"opencode", event.Overloaded, each(
			opencodeLogs("false"), "Cannot connect to API: Unable to connect. Is the computer able to access the url? (cause: Error: Unable to connect.)",
			"Cannot connect to API: Was there a typo in the url or port? (cause: x)", "Failed after 3 attempts. Last error: Cannot connect to API: getaddrinfo ENOTFOUND api.anthropic.com",
		)},
		{"opencode", event.Crashed, each(opencodeLogs("true"), "Cannot connect to API: Unable to connect.")}, // the title of the session
		{"opencode", event.ContextFull, each(
			opencodeFails, `{"name":"ContextOverflowError","data":{"message":"x"}}`,
			`{"name":"APIError","data":{"message":"prompt is too long: 205162 tokens > 200000 maximum","statusCode":400}}`,
			`{"name":"APIError","data":{"message":"This model's maximum context length is 131072 tokens.","statusCode":400}}`,
		)},
		{"opencode", event.ModelError, each(opencodeFails, `{"name":"APIError","data":{"message":"no such model","statusCode":400}}`, `{"name":"UnknownError","data":{"message":"the server is overloaded"}}`)},

		{"copilot", event.Overloaded, each(copilotFails, `{"errorType":"query","statusCode":503,"message":"x"}`, `{"errorType":"query","statusCode":500,"message":"x"}`)},
		{"copilot", event.Overloaded, []recording{{[]string{
			`{"type":"model.call_failure","data":{"failureKind":"transport","errorMessage":"Connection refused"}}`,
			`{"type":"session.error","data":{"errorType":"query","message":"Could not connect to the provider."}}`,
			`{"type":"result","sessionId":"s","exitCode":1,"usage":{}}`,
		}, 1, ""}}},
		{"copilot", event.ModelError, []recording{{[]string{
			`{"type":"model.call_failure","data":{"failureKind":"transport","errorMessage":"Connection refused"}}`,
			`{"type":"assistant.message","data":{"content":"It works again."}}`,
			`{"type":"session.error","data":{"errorType":"query","message":"Something else."}}`,
			`{"type":"result","sessionId":"s","exitCode":1,"usage":{}}`,
		}, 1, ""}}},
		{"copilot", event.ContextFull, each(copilotFails, `{"errorType":"context_limit","message":"x"}`, `{"errorType":"query","statusCode":413,"message":"x"}`)},
		{"copilot", event.ContextFull, []recording{{[]string{
			`{"type":"model.call_failure","data":{"failureKind":"api","statusCode":400,"errorMessage":"x"}}`,
			`{"type":"session.error","data":{"errorType":"query","message":"The provider rejected the prompt as too long, but automatic recovery could not reduce it."}}`,
			`{"type":"result","sessionId":"s","exitCode":1,"usage":{}}`,
		}, 1, ""}}},
		{"copilot", event.Limited, each(copilotFails, `{"errorType":"quota","message":"x"}`, `{"errorType":"query","statusCode":429,"message":"x"}`)},
		{"copilot", event.ModelError, each(copilotFails, `{"errorType":"query","statusCode":400,"message":"overloaded"}`)},

		{"pi", event.Overloaded, each(piFails, "503 Service Unavailable", "529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", "Connection error.", "terminated", "fetch failed")},
		{"pi", event.ContextFull, each(piFails, "400 prompt is too long: 205162 tokens > 200000 maximum", "Your input exceeds the context window of this model")},
		{"pi", event.Limited, each(piFails, "429 Too many requests")},
		{"pi", event.ModelError, each(piFails, "400 no such model")},

		{"amp", event.Overloaded, each(onStderr, "Error: API request for getUserInfo failed: 502", "API request for createThread failed: 503")},
		{"amp", event.Crashed, each(onStderr, "Error: API request for getUserInfo failed: 404", "I said: API request for getUserInfo failed: 503")},

		{"cursor", event.Overloaded, each(onStderr, "ConnectError: [unavailable] connect ECONNREFUSED", "Error: [deadline_exceeded] the operation timed out", "[aborted] read ECONNRESET")},
		{"cursor", event.Limited, each(onStderr, "ConnectError: [resource_exhausted] Error")},
		{"cursor", event.Crashed, each(onStderr, "ConnectError: [invalid_argument] Error", "The test printed [unavailable]")},

		{"kiro", event.Overloaded, each(
			onStderr, "Kiro is having trouble responding right now: \n   0: Failed to receive the next message: request_id: 7, error: InternalServerError: Encountered an unexpected error, please try again.",
			"Error sending prompt: The model you've selected is experiencing a high volume of traffic. Try changing the model and re-running your prompt.",
			"error: The model you've selected is temporarily unavailable.",
		)},
		{"kiro", event.ContextFull, each(onStderr, "Context limit exceeded unexpectedly. Please start a new session to continue.")},
		{"kiro", event.Crashed, each(onStderr, "Kiro is having trouble responding right now: \n   0: Failed to send the request: ValidationException", "It says: Context limit exceeded unexpectedly.")},
	}) {
		e, err := r.Find(c.agent)
		require.NoError(t, err)
		for i, rec := range c.cases {
			t.Run(fmt.Sprintf("%s/%s/%d", c.agent, c.want, i), func(t *testing.T) {
				out, err := agent.Replay(e.Adapter, agent.Recording{
					Output: strings.NewReader(strings.Join(rec.lines, "\n")), ExitCode: rec.code, Stderr: strings.NewReader(rec.stderr),
				}, func(event.Event) {})
				require.NoError(t, err)
				assert.Equal(t, c.want, kind(out), "%s\n%v", strings.Join(rec.lines, "\n"), out.Failure)
			})
		}
	}
}

// A failure over the Agent Client Protocol has the kind of the same failure over stdio.
func TestFailuresOfBuiltInAgentsOverACP(t *testing.T) {
	leavesNoProcess(t)
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	fails := func(code int, message, data string) string {
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":{id},"error":{"code":%d,"message":%s,"data":%s}}`, code, quote(message), data)
	}
	says := func(texts ...string) string {
		var b strings.Builder
		for _, text := range texts {
			fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s-1\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":%s}}}}\n", quote(text))
		}
		return b.String() + "stop end_turn"
	}
	claude := func(kind, words string) string {
		return fails(-32603, "Internal error: "+words, `{"errorKind":"`+kind+`"}`)
	}
	qwen := func(words string) string { return fails(-32603, "Internal error", `{"details":`+quote(words)+`}`) }
	gemini := func(words string) string { return fails(500, words, "null") }
	opencode := func(words string) string {
		return fails(-32603, "Internal error: "+words, `{"service":"session","errorName":"APIError"}`)
	}
	kimi := func(words string) string { return fails(-32603, "Internal error", `{"error":`+quote(words)+`}`) }
	goose := func(words string) string {
		return says("Ran into this error: " + words + ".\n\nPlease retry if you think this is a transient or recoverable error.")
	}
	const backend = "API error from mistral (model: m): LLM backend error [mistral]\n  status: "
	const retried = "Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: "
	type oneFailure struct {
		agent, name string
		want        event.Kind
		script      string
	}
	cases := []oneFailure{
		{"claude", "a dropped connection", event.Overloaded, claude("server_error", "API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.")},
		{"claude", "words of a later version, overloaded", event.Overloaded, claude("overloaded", "words of a later version")},
		{"claude", "words of a later version, limited", event.Limited, claude("rate_limit", "words of a later version")},
		{"claude", "words of a later version, auth", event.Auth, claude("authentication_failed", "words of a later version")},
		{"claude", "a full session", event.ContextFull, claude("invalid_request", "Prompt is too long")},
		{"claude", "a request that is refused", event.ModelError, claude("invalid_request", "API Error: 400 no such model")},

		{"codex", "a limit", event.Limited, fails(-32603, "Internal error: You've hit your usage limit. Try again in 2 hours.", "null")},
		{"codex", "a login", event.Auth, fails(-32603, "Internal error: unexpected status 401 Unauthorized", "null")},
		{"codex", "a request that is refused", event.ModelError, fails(-32603, "Internal error: unexpected status 400 Bad Request: high demand", "null")},
		{"codex", "an overload while it compacts", event.Overloaded, fails(-32603, "Internal error: Error running remote compact task: We're currently experiencing high demand.", "null")},
		{"codex", "a limit while it compacts", event.Limited, fails(-32603, "Internal error: Error running remote compact task: exceeded retry limit, last status: 429 Too Many Requests", "null")},
		{"codex", "a full session that it cannot compact", event.ContextFull, fails(-32603, "Internal error: Error running remote compact task: Codex ran out of room in the model's context window.", "null")},

		{"copilot", "a dropped connection", event.Overloaded, says("Info: Retrying...", retried+"Failed native model HTTP request: error decoding response body: unexpected EOF")},
		{"copilot", "a server out of reach", event.Overloaded, says("Info: Retrying...", "Error: Could not connect to local model provider at http://127.0.0.1:1/v1.\n  Check that the service is running and the port is correct.")},
		{"copilot", "an overload", event.Overloaded, says(retried + "503 busy")},
		{"copilot", "a request that is refused", event.ModelError, says("Error: 400 no such model")},
		{"copilot", "an answer about an error", "", says("The log has: " + retried + "503 busy")},

		{"gemini", "a server error", event.Overloaded, gemini(`{"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}`)},
		{"gemini", "a dropped connection", event.Overloaded, gemini("terminated")},
		{"gemini", "a server out of reach", event.Overloaded, gemini("exception TypeError: fetch failed sending request")},
		{"gemini", "a full session", event.ContextFull, fails(400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, "null")},
		{"gemini", "a request that is refused", event.ModelError, fails(400, `{"error":{"code":400,"message":"no such model","status":"INVALID_ARGUMENT"}}`, "null")},
		{"gemini", "an error of the program", event.ModelError, gemini("Unknown stream execution error.")},

		{"opencode", "a server out of reach", event.Overloaded, opencode("Cannot connect to API: Unable to connect. Is the computer able to access the url?")},
		{"opencode", "an overload", event.Overloaded, opencode("Overloaded")},
		{"opencode", "a request that is refused", event.ModelError, opencode("no such model, the server is Overloaded")},

		{"qwen", "a server error", event.Overloaded, qwen("500 Internal Server Error")},
		{"qwen", "a dropped connection", event.Overloaded, qwen("terminated")},
		{"qwen", "a server out of reach", event.Overloaded, qwen("Connection error.")},
		{"qwen", "a login", event.Auth, qwen("401 Incorrect API key provided")},
		{"qwen", "a limit", event.Limited, qwen("429 Too many requests")},
		{"qwen", "a full session", event.ContextFull, qwen("400 This model's maximum context length is 131072 tokens.")},
		{"qwen", "a request that is refused", event.ModelError, qwen("400 no such model, says status 500")},

		{"goose", "a server error", event.Overloaded, goose("Server error: 503 busy")},
		{"goose", "a server out of reach", event.Overloaded, says("Network error: Could not connect to a:1 — check your network connection and try again.\n\nPlease resend your message to try again.")},
		{"goose", "a limit", event.Limited, goose("Rate limit exceeded: slow down")},
		{"goose", "a full session", event.ContextFull, says("Unable to continue: Context limit still exceeded after compaction. Try using a shorter message, a model with a larger context window, or start a new session.")},
		{"goose", "a request that is refused", event.ModelError, goose("Request failed: no such model")},
		{"goose", "an answer about an error", "", says("The log has: Ran into this error: Server error: 503 busy.")},

		{"kilocode", "an overload", event.Overloaded, opencode("Overloaded")},
		{"kilocode", "a request that is refused", event.ModelError, opencode("no such model, the server is Overloaded")},

		{"kimi", "a server error", event.Overloaded, kimi("Error code: 503 - {'error': {'message': 'busy'}}")},
		{"kimi", "a server out of reach", event.Overloaded, kimi("Connection error.")},
		{"kimi", "a limit", event.Limited, kimi("Error code: 429 - {'error': {'message': 'slow down'}}")},
		{"kimi", "a full session", event.ContextFull, kimi("Error code: 400 - {'error': {'message': 'Invalid request: Your request exceeded model token limit: 262144'}}")},
		{"kimi", "a request that is refused", event.ModelError, kimi("Error code: 400 - {'error': {'message': 'no such model, says status 503'}}")},

		{"vibe", "a server error", event.Overloaded, fails(-32603, backend+"503 Service Unavailable\n  reason: N/A", "null")},
		{"vibe", "a server out of reach", event.Overloaded, fails(-32603, backend+"N/A\n  provider_message: Network error\n  reason: ConnectError('')", "null")},
		{"vibe", "a limit", event.Limited, fails(-31001, "Rate limit exceeded for mistral (model: m).", `{"provider":"mistral"}`)},
		{"vibe", "a full session", event.ContextFull, fails(-31004, "Context too long for mistral (model: m). Use /rewind to undo recent actions, then /compact to summarize.", "null")},
		{"vibe", "a request that is refused", event.ModelError, fails(-32603, backend+"400 Bad Request\n  body_excerpt: 503", "null")},

		{"kiro", "too many others", event.Overloaded, fails(-32603, "The model you've selected is experiencing a high volume of traffic. Try changing the model and re-running your prompt.", "null")},
		{"kiro", "a full session", event.ContextFull, fails(-32603, "Context limit exceeded unexpectedly. Please start a new session to continue.", "null")},
		{"cursor", "a service out of reach", event.Overloaded, fails(-32603, "[unavailable] connect ECONNREFUSED", "null")},
	}
	taken := slices.Clone(cases)
	if !testkit.Thorough { // the first of each agent, and of each kind
		seen := map[string]bool{}
		taken = slices.DeleteFunc(taken, func(c oneFailure) bool {
			known := seen[c.agent] && seen["kind "+string(c.want)]
			seen[c.agent], seen["kind "+string(c.want)] = true, true
			return known
		})
	}
	testkit.LogSample(t, len(taken), len(cases))
	for _, c := range taken {
		t.Run(c.agent+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			out, _ := playBeside(t.Context(), t, scriptedOverACP(t, r, c.agent), agent.Turn{Prompt: "go"}, agent.Options{Env: []string{script(t, "begin\n"+c.script)}})
			assert.Equal(t, c.want, kind(out), "%v", out.Failure)
		})
	}
}

// scriptedOverACP returns a built-in adapter for turns over ACP, with the script instead of its program.
func scriptedOverACP(t *testing.T, r *registry.Registry, name string) *schema.Adapter {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	e, err := r.Find(name)
	require.NoError(t, err)
	way, err := e.Adapter.WithTransport(schema.TransportACP)
	require.NoError(t, err)
	a := *way
	a.Process.Executable, a.Process.ExecutableCandidates, a.Process.CommandTemplate = program, nil, `"{shell_path}"`
	return &a
}
