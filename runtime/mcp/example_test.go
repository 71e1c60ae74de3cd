//go:build unix

package mcp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.org/ripple/runtime/mcp"
)

// A server usually serves os.Stdin and os.Stdout; here it serves a client of the protocol's SDK.
func Example() {
	ctx := context.Background()
	server := mcp.New(mcp.Options{
		Version: "1.0.0", Adapter: "bash", HostCommand: []string{os.Args[0]}, Getenv: os.Getenv, Dir: "/", ReadOnly: true,
	})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(ctx, fromClient, toClient) }()

	client := sdk.NewClient(&sdk.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name)
	}
	fmt.Println(session.Close(), <-served)
	// Output:
	// console_list
	// console_peek
	// console_read
	// console_wait
	// <nil> <nil>
}
