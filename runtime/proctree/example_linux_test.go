package proctree_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os/exec"
	"syscall"
	"time"

	"example.org/ripple/runtime/proctree"
)

// A program is ended together with the processes that it left in the background.
func Example() {
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo started; exec sleep 1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	tree := proctree.New(cmd.Process.Pid, "")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		log.Fatal(err)
	}
	fmt.Println("members:", len(tree.Members()))

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = tree.End(context.Background(), proctree.Step{Signal: syscall.SIGTERM, Grace: 3 * time.Second})
	fmt.Println(err, <-ended, len(tree.Members()))
	// Output:
	// members: 2
	// <nil> signal: terminated 0
}
