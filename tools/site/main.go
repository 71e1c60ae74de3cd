// Command site makes pages of HTML of the documents of this repository: README.md, what
// stands beside it, and docs. Its arguments are the repository and the directory to write.
package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("site: ")
	if len(os.Args) != 3 {
		log.Fatal("it takes two arguments: the repository, and the directory for the pages")
	}
	s, err := read(os.Args[1])
	if err == nil {
		for _, wrong := range s.broken() {
			log.Print(wrong)
			err = fmt.Errorf("links lead nowhere")
		}
	}
	if err == nil {
		err = s.write(os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
}
