# The tasks of this repository. Run .ci/run before you send a change.

ifeq ($(firstword $(MAKECMDGOALS)),full)
# make full runs every step of .ci/steps; make full STEP… runs only the named ones. The next call runs the steps that
# this one did not complete.
.PHONY: $(MAKECMDGOALS)
full:
	@tools/steps full $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
$(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS)): full
	@:
else

.PHONY: identity site release release-check build quick torture consoles soak flake kills race fuzz lint bench bench-probe gen packages interpreters interpreters-update agents agents-update test-agents fleet clean

# Programs installed in .programs or by Go are found only if the system has none of that name.
export PATH := $(PATH):$(CURDIR)/.programs/bin:$(shell go env GOPATH)/bin

# Writes bin/ripple. Without cgo it starts a millisecond sooner; HTTP/2 is left out, as in a release.
build:
	CGO_ENABLED=0 go build -tags nethttpomithttp2 -o bin/ripple ./cmd/ripple

# Takes less than a minute, for use while you work: vet, fast tests, and the contract tests of bash.
quick: build
	go vet ./...
	go test -short ./adapters ./cmd/ripple/internal/... ./internal/... $$(go list ./runtime/internal/... | grep -v '/tui$$') \
		./runtime/session/internal/... ./runtime/acp ./runtime/event ./runtime/launch ./runtime/registry ./schema/... \
		./runtime/loop/config ./runtime/loop/internal/... ./runtime/loop/record | grep -v 'no test files'
	go test ./conformance -count=1 -run 'Architecture|Layers|Schema|NoSleep|NoCode|Libraries|Packages|Imports|ThreatModel|Readme(Is|Starts)|Table|PlainEnglish|NamesDiffer|NoResult'
	bin/ripple adapter test bash

# Tests sessions of every installed program with the input and the faults that users cause; takes 6 minutes.
torture: build
	cd conformance/torture && go test -count=1 -timeout 1h -parallel 2 -matrix all -binary "$(CURDIR)/bin/ripple" -failures "$(CURDIR)/bin/torture.md"

# Tests consoles as users use them, with a hundred repetitions of each race and kill; takes 10 minutes.
consoles: build
	RIPPLE_THOROUGH=1 go test ./conformance/consoles -count=1 -timeout 1h -binary "$(CURDIR)/bin/ripple"

# Does months of use in hours: a million console commands, 20,000 turns, 200,000 MCP calls. An interrupted run
# continues with the next call. PERCENT=1 runs one percent of it.
soak: build
	go run ./conformance/soak -adapter bash -agent rehearsal -binary bin/ripple -percent $(or $(PERCENT),100)

# Repeats the tests, every second time on a busy machine, to find flaky ones.
flake:
	tools/flake

# Runs all cases of the tests of cmd/ripple that otherwise run a sample: kill -9 of agents, loops and programs that an
# editor started, 200 times each; every hostile file and journal; each preset; the advice in every end state; one script.
# Takes 8 minutes.
kills:
	RIPPLE_THOROUGH=1 go test ./cmd/ripple -run 'TestKill|TestAdvice|TestInterrupted|TestAnEarlySignal|TestHostileFiles|TestHostileJournals|TestHostileYAML|TestPresets|TestLongLoop|TestWithoutProc|TestAUserEditsLines|TestJava|TestScripts/(adapter_with_worse|loop_)' -count=1 -v -timeout 2h

# Without this GORACE, each program built with -race waits for a second before it exits.
race:
	GORACE=atexit_sleep_ms=20 go test -race ./...

# Runs each fuzz target for FUZZTIME (default 10s).
fuzz:
	tools/fuzz

# Checks the adapters of this repository; tools/check checks the code.
lint:
	go run ./cmd/ripple adapter lint --strict adapters/*.yaml

# Runs the benchmarks and writes BENCHMARKS.md. bin/bench -only NAME -quick measures one table.
bench:
	go -C conformance/bench build -o "$(CURDIR)/bin/bench" .
	bin/bench -o BENCHMARKS.md

# Learns an adapter of every installed program by experiment and writes the results to docs/probe.md. Takes 30 minutes;
# an interrupted run continues with the next call.
bench-probe: build
	go run ./conformance/probing -binary bin/ripple -o docs/probe.md

# Writes the values of tools/identity.yaml (the module's path, the maintainer, …) into the files that contain them.
identity:
	go -C tools/release run . identity -repo ../..

# Writes all generated files.
gen:
	go generate ./...
	@$(MAKE) -s packages

# Writes tools/packages.list, from the adapters and tools/versions.
packages:
	go run ./cmd/ripple adapter list --json | go -C tools run ./packages -versions "$(CURDIR)/tools/versions" >tools/packages.new && mv tools/packages.new tools/packages.list

# Installs the programs of the adapters in this repository; those from PyPI, crates.io and Maven Central into .programs.
interpreters:
	tools/interpreters

# Installs the coding agents of the adapters in this repository, the programs that three of them need for the Agent
# Client Protocol, and programs that test servers of MCP and ACP, and links them into .agents.
agents:
	tools/agents

# Removes what was built here, and the links to programs installed for tests. Those stay, see CONTRIBUTING.md.
clean:
	rm -rf bin dist .release .steps adapters/testdata.zip.gz
	rm -rf .agents .programs .xterm
	@echo "programs for tests are kept in $${TEST_PROGRAMS:-$${XDG_CACHE_HOME:-$$HOME/.cache}/ripple-tests}, which you can remove"

# Writes the current versions of the agents into tools/versions.
agents-update:
	tools/update-versions agent peer

# Writes the current versions of the programs from PyPI, npm and Go into tools/versions.
interpreters-update:
	tools/update-versions program

# Tests the agents in .agents against a local model server, without a network.
test-agents:
	RIPPLE_AGENTS="$(CURDIR)/.agents" go test ./conformance/agents -count=1 -v -timeout 30m -parallel 2

# Runs all contract tests and writes the table of adapters in docs/adapters.md.
fleet: build
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	bin/ripple adapter list --json >"$$dir/list" && \
	{ bin/ripple adapter test --all --parallel 2 --report json >"$$dir/report" || true; } && \
	go -C tools run ./fleet "$$dir/list" "$$dir/report" "$(CURDIR)/docs/adapters.md"

# Writes the documents as HTML pages into dist/site; a broken link is an error.
site:
	go -C tools run ./site "$(CURDIR)" "$(CURDIR)/dist/site"

# Builds archives and packages for every platform into dist, with or without a tag; publishes nothing.
release:
	$(or $(GORELEASER),tools/goreleaser) release $(or $(RELEASE),--snapshot) --clean
	cp .release/npm/*.tgz dist

# Builds a release twice and compares the files, then installs, uses and removes the packages for this machine.
release-check:
	tools/release-check

endif
