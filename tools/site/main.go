// Command site converts the documents of this repository to HTML pages: README.md, the other documents next to it, and
// docs. Its arguments are the repository and the output directory.
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
