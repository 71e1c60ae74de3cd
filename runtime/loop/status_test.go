package loop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const complete = blockBegin + "\nSTATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 1\nFILES_MODIFIED: 2\nTESTS_STATUS: PASSING\n" +
	"WORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: true\nRECOMMENDATION: all done\n" + blockEnd + "\n"

func ofBlock(lines ...string) string {
	return blockBegin + "\n" + strings.Join(lines, "\n") + "\n" + blockEnd + "\n"
}

func TestParseBlock(t *testing.T) {
	all := block{Status: "COMPLETE", WorkType: "IMPLEMENTATION", Tests: "PASSING", Tasks: 1, Files: 2, ExitSignal: true, Recommendation: "all done"}
	tests := []struct {
		name, text string
		want       *block
	}{
		{"all keys", "I did it.\n" + complete, &all},
		{"no newline at the end", strings.TrimSuffix(complete, "\n"), &all},
		{"CRLF", strings.ReplaceAll(complete, "\n", "\r\n"), &all},
		{"values in any case", ofBlock("STATUS: complete", "EXIT_SIGNAL: True"), &block{Status: "COMPLETE", ExitSignal: true}},
		{"missing EXIT_SIGNAL is false", ofBlock("STATUS: COMPLETE"), &block{Status: "COMPLETE"}},
		{"EXIT_SIGNAL of another value is false", ofBlock("EXIT_SIGNAL: yes"), &block{}},
		{"keys at line start only", ofBlock("STATUS: IN_PROGRESS", " STATUS: COMPLETE", "> EXIT_SIGNAL: true"), &block{Status: "IN_PROGRESS"}},
		{"tests that fail", ofBlock("TESTS_STATUS: Failing", "FILES_MODIFIED: none", "TASKS_COMPLETED_THIS_LOOP: 0"), &block{Tests: "FAILING"}},
		{"keys in their case only", ofBlock("status: COMPLETE"), &block{}},
		{"the template of the prompt", ofBlock("STATUS: IN_PROGRESS | COMPLETE | BLOCKED", "EXIT_SIGNAL: false | true"), &block{}},
		{"two blocks: the last", complete + ofBlock("STATUS: IN_PROGRESS", "EXIT_SIGNAL: false"), &block{Status: "IN_PROGRESS", NotDone: true}},
		{"in fenced code at the end", "It is done.\n```\n" + complete + "```\n", &all},
		{"in fenced code, words follow", "The format is:\n```\n" + complete + "```\nbut I am not done.", nil},
		{"in fenced code, words follow in it", "```\n" + complete + "so it is\n```\n", nil},
		{"in fenced code, then outside", "The format is:\n```\n" + complete + "```\nMine:\n" + ofBlock("STATUS: BLOCKED"), &block{Status: "BLOCKED"}},
		{"as a Markdown quote", "> " + strings.ReplaceAll(complete, "\n", "\n> "), nil},
		{"the last is cut off: the last complete one", complete + blockBegin + "\nSTATUS: BLOCKED\n", &all},
		{"begun twice", blockBegin + "\nSTATUS: COMPLETE\n" + ofBlock("STATUS: BLOCKED"), &block{Status: "BLOCKED"}},
		{"text about it does not end a loop", "STATUS: COMPLETE\nEXIT_SIGNAL: true\nThe project is done, all tasks complete.", nil},
		{"markers inside a line", "see " + blockBegin + "\nSTATUS: COMPLETE\n" + blockEnd, nil},
		{"only an end", "STATUS: COMPLETE\n" + blockEnd, nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parseBlock(tt.text, "")
			if got != nil {
				got.Odd = "" // TestOddBlocks checks it
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestParseBlockKnowsAnEcho(t *testing.T) {
	prompt := "Work on the plan.\n\nWhen everything is done, answer:\n```\n" + complete + "```\nGo on.\n"
	assert.Nil(t, parseBlock(prompt, prompt), "the prompt repeated")
	assert.Nil(t, parseBlock("You said: "+prompt+"\nI am at it.", prompt))
	assert.NotNil(t, parseBlock("I finished the last task.\n```\n"+complete+"```\n", prompt), "the example used in earnest")
	own := ofBlock("STATUS: IN_PROGRESS")
	assert.Equal(t, "IN_PROGRESS", parseBlock(own+prompt, prompt).Status, "an echo after the agent's own")
}

func TestCutPromise(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"work\nLOOP_COMPLETE", true},
		{"work\nLOOP_COMPLETE\n\n  \n", true},
		{"work\r\n  LOOP_COMPLETE\r\n", true},
		{"LOOP_COMPLETE\nbut one thing is left", false},
		{"I will say LOOP_COMPLETE", false},
		{"loop_complete", false},
		{"\ufeff\x1b[32mLOOP_COMPLETE\x1b[0m\n", true},
		{"ok\nLOOP_COMPLETE\u200b\n", true},
		{"LOOP_\u2060COMPLETE\u00ad\ufe0f\n\u200b\n", true},
		{"10%\rLOOP_COMPLETE", false},
		{"\u200b\n", false},
		{"```\nLOOP_COMPLETE\n```", false},
		{"", false},
	}
	for _, tt := range tests {
		_, gave := cutPromise(tt.text, "LOOP_COMPLETE")
		assert.Equal(t, tt.want, gave, "%q", tt.text)
	}
	_, gave := cutPromise("x\n\U0001f469\u200d\U0001f4bb done\n", "\U0001f469\u200d\U0001f4bb done")
	assert.True(t, gave, "the promise may have such characters")
	for _, text := range []string{"", "x\n"} {
		_, gave := cutPromise(text, "")
		assert.False(t, gave, "%q", text)
	}
}

func FuzzParseBlock(f *testing.F) {
	f.Add(complete)
	f.Add(complete + blockBegin)
	f.Add(blockEnd + "\n" + blockBegin + "\r\nSTATUS: BLOCKED\r\n" + blockEnd)
	f.Fuzz(func(t *testing.T, text string) {
		b := parseBlock(text, "")
		if b == nil {
			return
		}
		assert.Contains(t, text, blockEnd)
		assert.Contains(t, append(statuses, ""), b.Status)
		if !strings.ContainsAny(text, "\r`~") { // a block in fenced code counts only at the end
			// Text after a complete block has no effect unless it ends another.
			assert.Equal(t, b, parseBlock(text+"\n"+blockBegin+"\nSTATUS: BLOCKED\n", ""))
		}
	})
}
