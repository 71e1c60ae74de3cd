package resets

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Tuesday, in winter.
var now = time.Date(2026, 11, 24, 13, 30, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	local := time.FixedZone("here", 3600)
	tests := []struct{ agent, text, want string }{ // want in UTC; "": the text does not tell
		{"claude", "Claude AI usage limit reached|1795600000", "2026-11-25 09:46:40"},
		{"claude", "Claude usage limit reached. Your limit will reset at 3pm (Europe/Berlin).", "2026-11-24 14:00:00"},
		{"claude", "5-hour limit reached ∙ resets 3pm", "2026-11-24 14:00:00"},
		{"claude", "You've hit your limit · resets 10pm (America/New_York)", "2026-11-25 03:00:00"},
		{"claude", "You've hit your limit · resets 2:50am (UTC)", "2026-11-25 02:50:00"},
		{"claude", "You've hit your weekly limit · resets Nov 27, 9am (UTC)", "2026-11-27 09:00:00"},
		{"claude", "Weekly limit reached ∙ resets Nov 27 at 5:30pm", "2026-11-27 16:30:00"},
		{"claude", "You've hit your Opus limit · resets Dec 1, 10am (Asia/Tokyo)", "2026-12-01 01:00:00"},
		{"claude", "limit reached, resets Jan 2, 12am (UTC)", "2027-01-02 00:00:00"},
		{"codex", "You've hit your usage limit. Upgrade to Pro or try again at 9:15 PM.", "2026-11-24 20:15:00"},
		{"codex", "You've hit your usage limit. Try again at Nov 27th, 2026 3:14 PM.", "2026-11-27 14:14:00"},
		{"codex", "You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", "2026-11-27 17:35:00"},
		{"codex", "Rate limit reached for gpt-5 on tokens per min. Please try again in 1.5s. Visit https://example.com", "2026-11-24 13:30:01.5"},
		{"codex", "Rate limit reached. Please try again in 6m0s.", "2026-11-24 13:36:00"},
		{"codex", "Rate limit reached. Please try again in 250ms.", "2026-11-24 13:30:00.25"},
		{"gemini", "You have exhausted your capacity on this model. Your quota will reset after 9h26m14s.", "2026-11-24 22:56:14"},
		{"gemini", "Quota exceeded for metric x. Please retry in 36.25s.", "2026-11-24 13:30:36.25"},
		{"gemini", `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}`, "2026-11-24 13:30:34"},
		{"gemini", "Daily quota exceeded. It resets at midnight Pacific time.", "2026-11-25 08:00:00"},
		{"copilot", "Sorry, you've hit a rate limit. Please try again in 47 minutes.", "2026-11-24 14:17:00"},
		{"copilot", "You have exceeded your copilot token usage. Please wait about an hour.", "2026-11-24 14:30:00"},
		{"copilot", "429 Too Many Requests, retry-after: 3600", "2026-11-24 14:30:00"},
		{"copilot", "secondary rate limit, retry after 60 seconds", "2026-11-24 13:31:00"},
		{"qwen", "Free quota exceeded; try again at 2026-11-25 03:00 UTC", "2026-11-25 03:00:00"},
		{"qwen", "Throttled until 2026-11-24T23:00:00+08:00", "2026-11-24 15:00:00"},
		{"opencode", "Rate limit exceeded, retrying in 04:12:33", "2026-11-24 17:42:33"},
		{"opencode", "Monthly usage limit reached. Resets in 12 days.", "2026-12-06 13:30:00"},
		{"amp", "Out of free credits, available again tomorrow at 9am", "2026-11-25 08:00:00"},
		{"amp", "limit reached, resets on Monday at 09:00 (UTC)", "2026-11-30 09:00:00"},
		{"cursor", "You've hit your limit. Try again in 4h 12m", "2026-11-24 17:42:00"},
		{"cursor", "Resets at 25 November 2026, 8:00 GMT", "2026-11-25 08:00:00"},
		{"cursor", "The limit resets 9:00 EST", "2026-11-24 14:00:00"},
		{"cursor", "Resets at 3pm on Nov 26 (UTC), or upgrade", "2026-11-26 15:00:00"},
		{"cursor", "Resets at 3pm (UTC) on Nov 26", "2026-11-26 15:00:00"},

		{"words", "8 hours", "2026-11-24 21:30:00"},
		{"words", "In 8 hours.", "2026-11-24 21:30:00"},
		{"words", "limit resets in 8 hours", "2026-11-24 21:30:00"},
		{"words", "try again in 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets in 8\u00a0hours", "2026-11-24 21:30:00"},
		{"words", "resets at 3:00\u202fPM (UTC)", "2026-11-24 15:00:00"},
		{"words", "Come back in eight hours", "2026-11-24 21:30:00"},
		{"words", "resets in one hour", "2026-11-24 14:30:00"},
		{"words", "resets in half an hour", "2026-11-24 14:00:00"},
		{"words", "resets in an hour and a half", "2026-11-24 15:00:00"},
		{"words", "resets in one and a half hours", "2026-11-24 15:00:00"},
		{"words", "resets in twenty-four hours", "2026-11-25 13:30:00"},
		{"words", "resets in 8 more hours", "2026-11-24 21:30:00"},
		{"words", "resets in another 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets within the next 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets in less than 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets roughly in 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets in exactly 8 hours", "2026-11-24 21:30:00"},
		{"words", "resets in ~8 hours", "2026-11-24 21:30:00"},
		{"words", "resets (in 8 hours)", "2026-11-24 21:30:00"},
		{"words", "resets in **8 hours**", "2026-11-24 21:30:00"},
		{"words", "resets in `8 hours`", "2026-11-24 21:30:00"},
		{"words", "resets in 8 hours & 30 minutes", "2026-11-24 22:00:00"},
		{"words", `{"resets_in": "8 hours"}`, "2026-11-24 21:30:00"},
		{"words", "reset time: 8 hours", "2026-11-24 21:30:00"},
		{"words", "Your quota renews in 8 hours", "2026-11-24 21:30:00"},
		{"words", "Your quota refreshes in 8 hours", "2026-11-24 21:30:00"},
		{"words", "available in 8 hours", "2026-11-24 21:30:00"},
		{"words", "try after 8 hours", "2026-11-24 21:30:00"},
		{"words", "Please retry your request in 8 hours", "2026-11-24 21:30:00"},
		{"words", "Limit reached: 8 hours and 5 minutes until reset", "2026-11-24 21:35:00"},
		{"words", "8 hours left until your limit resets", "2026-11-24 21:30:00"},
		{"words", "Wait until your 5 hour limit resets at 3pm (UTC)", "2026-11-24 15:00:00"},

		{"words", "resets every 8 hours", ""},
		{"words", "resets in a few hours", ""},
		{"words", "resets in 8 hourly steps", ""},
		{"words", "the build took 8 hours", ""},
		{"words", "8 hours of work", ""},
		{"words", "wait until the 5 hour limit resets", ""},
		{"words", "wait for the 5 hour window", ""},
		{"claude", "You've hit your limit · resets soon", ""},
		{"claude", "resets 3", ""},
		{"claude", "resets 3pm (Mars/Olympus)", ""},
		{"claude", "resets 3pm CST", ""}, // of America, of China, of Cuba
		{"claude", "resets Nov 31, 3pm (UTC)", ""},
		{"claude", "resets 1:25pm (UTC)", ""}, // five minutes ago: it is over, or nobody knows
		{"claude", "resets 3pm Nov 20, 2026 (UTC)", ""},
		{"codex", "try again later", ""},
		{"codex", "You've hit your usage limit. To get more access now, send a request to your admin", ""},
		{"gemini", "Quota exceeded for quota metric 'requests' and limit '1000 per day'", ""},
		{"copilot", "try again in 3 months", ""},
		{"copilot", "try again in 0 seconds", ""},
		{"cursor", "Your usage limits will reset when your monthly cycle ends on 12/5/2026.", ""},
		{"opencode", "the tests took 4h 12m", ""},
		{"opencode", "retry 3 of 5", ""},
		{"amp", "resets on Dec 1", ""}, // at no time
		{"amp", "resets 2030-01-01 00:00 UTC", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		if _, err := time.LoadLocation("America/New_York"); err != nil && tt.want != "" {
			t.Skip("this machine knows no time zones")
		}
		at, ok := Parse(tt.text, now, local)
		assert.Equal(t, tt.want != "", ok, tt.text)
		if ok {
			assert.Equal(t, tt.want, at.UTC().Format("2006-01-02 15:04:05.999"), tt.text)
		}
	}
}

// On the days on which clocks are changed a day has not 24 hours.
func TestParseKnowsSummerTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine knows no time zones")
	}
	at, ok := Parse("resets 9am", time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), berlin)
	require.True(t, ok)
	assert.Equal(t, "2026-03-29 07:00", at.UTC().Format("2006-01-02 15:04"))
}

func FuzzParse(f *testing.F) {
	f.Add("resets Nov 27, 9am (UTC)")
	f.Add("try again in 4h 12m")
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := Parse(text, now, time.UTC); ok {
			assert.True(t, at.After(now) && at.Sub(now) <= longest, text)
		}
	})
}
