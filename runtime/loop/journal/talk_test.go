package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// A loop moves an answer to its record and removes the reply. Concurrent readers never see the
// question open again.
func TestAnsweredQuestionIsNeverOpenAgain(t *testing.T) {
	project := t.TempDir()
	store := NewStore(project, nil)
	require.NoError(t, os.MkdirAll(store.Path(""), 0o700))
	events, err := os.Create(filepath.Join(project, layout.Dir, layout.EventsFile))
	require.NoError(t, err)
	defer events.Close()

	answered, ended := make(chan string), make(chan error, 1)
	go func() {
		defer close(answered)
		ended <- func() error {
			for i := range 40 {
				id := fmt.Sprintf("q%d", i)
				if _, err := fmt.Fprintf(events, `{"type":"asked","question":{"id":%q}}`+"\n", id); err != nil {
					return err
				}
				if err := Answer(project, time.Now(), func(open []record.Question) (string, event.Answer, error) {
					return open[0].ID, event.Answer{Option: "yes"}, nil
				}); err != nil {
					return err
				}
				answered <- id
				if _, err := fmt.Fprintf(events, `{"type":"answered","question":{"id":%q,"answer":{"option":"yes"}}}`+"\n", id); err != nil {
					return err
				}
				if err := NewReplies(store).Drop(func(Reply) bool { return true }); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	var open []record.Question
	for id := range answered {
		for range 10 {
			now, err := OpenQuestions(project)
			require.NoError(t, err)
			for _, q := range now {
				if q.ID == id {
					open = append(open, q)
				}
			}
		}
	}
	require.NoError(t, <-ended)
	require.Empty(t, open)
}
