package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// hookTimeout is how long the command that reports a question may take.
const hookTimeout = 30 * time.Second

// hookInput is the input of that command.
type hookInput struct {
	Type    string `json:"type"` // "question"
	Project string `json:"project"`
	Run     string `json:"run"`
	Words   string `json:"words"` // the question in one line
	record.Question
}

// hook runs the command that on_question names. The loop continues even if the command fails.
func (q *questions) hook(ctx context.Context, of record.Question) {
	if err := q.runHook(ctx, of); err != nil && ctx.Err() == nil {
		q.tell(Notice{Kind: NoticeNote, Turn: of.Turn, Topic: TopicOnQuestion, Text: fmt.Sprintf("the command for questions failed: %v", err)})
	}
}

func (q *questions) runHook(ctx context.Context, of record.Question) error {
	input, err := json.Marshal(hookInput{"question", q.project, q.run.state.Run, FormatQuestion(of), of})
	if err != nil {
		return err
	}
	file, err := q.store.Files().Create(fmt.Sprintf("%s/question_%s_%s.log", layout.LogsDir, of.ID, record.Stamp(q.now())))
	if err != nil {
		return err
	}
	log := q.newLog(file)
	out, err := newOutput(log)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	defer out.release(log)
	cmd := ownGroup(q.config.OnQuestion)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = q.project, bytes.NewReader(input), out.in, out.in
	cmd.Env = append(os.Environ(), journal.AnswerVariable+"="+q.store.AnswerToken())
	cmd.WaitDelay = time.Second // a child may keep the pipe of the input
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := time.NewTimer(hookTimeout)
	defer limit.Stop()
	select {
	case err := <-ended:
		if why := exitWords(err); why != "" {
			return errors.New(why + "; its output is in " + file.Name())
		}
		return nil
	case <-limit.C:
		err = fmt.Errorf("it took longer than %v", hookTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	endGroup(cmd)
	<-ended
	return err
}
