# What there is to do with this repository. `make check` before a change is sent.

ifeq ($(firstword $(MAKECMDGOALS)),full)
# make full: every step of .ci/steps; make full STEP…: only those. What this run cannot finish the next one does.
.PHONY: $(MAKECMDGOALS)
full:
	@tools/steps full $(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS))
$(wordlist 2,$(words $(MAKECMDGOALS)),$(MAKECMDGOALS)): full
	@:
else

.PHONY: identity site release release-check build test quick torture consoles soak flake kills race fuzz lint bench bench-probe gen packages interpreters interpreters-update agents agents-update test-agents fleet clean check

# What is installed here and by Go is found after what the machine has.
export PATH := $(PATH):$(CURDIR)/.programs/bin:$(shell go env GOPATH)/bin

build: # bin/ripple, which needs no C library: it starts a millisecond sooner; HTTP/2 is left out as in a release
	CGO_ENABLED=0 go build -tags nethttpomithttp2 -o bin/ripple ./cmd/ripple

test:
	go test ./...

quick: build # while you work, in under a minute: vet, the tests that wait for nothing, the contract tests of bash
	go vet ./...
	go test -short ./adapters ./cmd/ripple/internal/... ./internal/... ./runtime/internal/... ./runtime/session/internal/... \
		./runtime/acp ./runtime/annotate ./runtime/cast ./runtime/event ./runtime/launch ./runtime/registry ./runtime/scenario ./runtime/trust \
		./runtime/loop/config ./runtime/loop/layout ./runtime/loop/record ./runtime/loop/resets ./schema/... | grep -v 'no test files'
	go test ./conformance -count=1 -run 'Architecture|Layers|Schema|NoSleep|NoCode|Libraries|Packages|Imports|ThreatModel|Readme(Is|Starts)|Table|PlainEnglish|NamesDiffer|NoResult'
	bin/ripple adapter test bash

torture: build # what people do to sessions, to every program that is there: a quarter of an hour
	cd conformance/torture && go test -count=1 -timeout 1h -parallel 2 -matrix all -binary "$(CURDIR)/bin/ripple" -failures "$(CURDIR)/bin/torture.md"

consoles: build # what people do to consoles: everything that races or kills a hundred times, a quarter of an hour
	RIPPLE_THOROUGH=1 go test ./conformance/consoles -count=1 -timeout 1h -binary "$(CURDIR)/bin/ripple"

soak: build # months of use in hours: a million console commands, 20,000 turns, 200,000 MCP calls; continues after an interruption; PERCENT=1 is a trial
	go run ./conformance/soak -adapter bash -agent rehearsal -binary bin/ripple -percent $(or $(PERCENT),100)

flake: # the test command, again and again, half of the rounds on a busy machine: what fails is flaky
	tools/flake

kills: # cmd/ripple's samples completely: kill -9 of agents, of loops and of what an editor has started, 200 times each; every hostile file, advice in every end state: 40 minutes
	RIPPLE_THOROUGH=1 go test ./cmd/ripple -run 'TestKill|TestAdvice|TestInterrupted|TestAnEarlySignal|TestHostileFiles|TestLongLoop' -count=1 -v -timeout 2h

race: # without GORACE each program built so waits a second before it ends
	GORACE=atexit_sleep_ms=20 go test -race ./...

fuzz: # every target for FUZZTIME (10s)
	tools/fuzz

lint: # the adapters of this repository; the code is linted by check
	go run ./cmd/ripple adapter lint --strict adapters/*.yaml

bench: # measures, and writes BENCHMARKS.md; bin/bench -only NAME -quick measures one table
	go -C conformance/bench build -o "$(CURDIR)/bin/bench" .
	bin/bench -o BENCHMARKS.md

bench-probe: build # what experiments find out about every program that is there, without its adapter: half an hour, goes on where it was broken off; writes docs/probe.md
	go run ./conformance/probing -binary bin/ripple -o docs/probe.md

identity: # writes tools/identity.yaml (the module's path, the maintainer, …) wherever it belongs
	go -C tools/release run . identity -repo ../..

gen: # generated files
	go generate ./...
	@$(MAKE) -s packages

packages: # tools/packages.list, from the adapters and tools/versions
	go run ./cmd/ripple adapter list --json | go -C tools run ./packages -versions "$(CURDIR)/tools/versions" >tools/packages.new && mv tools/packages.new tools/packages.list

interpreters: # the programs of the adapters in this repository; those of PyPI, crates.io and Maven Central into .programs
	tools/interpreters

agents: # the coding agents of the adapters in this repository, what three of them need for the Agent Client Protocol, and the programs that test servers of MCP and ACP, into .agents
	tools/agents

clean: # what was built here, and the links to what is installed for tests; that itself stays, see CONTRIBUTING.md
	rm -rf bin dist .release .steps
	rm -rf .agents .programs .xterm
	@echo "programs for tests are kept in $${TEST_PROGRAMS:-$${XDG_CACHE_HOME:-$$HOME/.cache}/ripple-tests}, which you can remove"

agents-update: # today's versions of the agents into tools/versions
	tools/update-versions agent peer

interpreters-update: # the same for the programs of PyPI, npm and Go
	tools/update-versions program

test-agents: # live: those agents against a model server of our own, without a network
	RIPPLE_AGENTS="$(CURDIR)/.agents" go test ./conformance/agents -count=1 -v -timeout 30m -parallel 2

fleet: build # the table of adapters in docs/adapters.md, from a run of all contract tests
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	bin/ripple adapter list --json >"$$dir/list" && \
	{ bin/ripple adapter test --all --parallel 2 --report json >"$$dir/report" || true; } && \
	go -C tools run ./fleet "$$dir/list" "$$dir/report" "$(CURDIR)/docs/adapters.md"

site: # the documents as pages, into dist/site; a link that leads nowhere is an error
	go -C tools run ./site "$(CURDIR)" "$(CURDIR)/dist/site"

release: # archives and packages for every platform, into dist, also if no tag is here; nothing is published
	$(or $(GORELEASER),tools/goreleaser) release $(or $(RELEASE),--snapshot) --clean
	cp .release/npm/*.tgz dist

release-check: # built twice; those of this machine installed, used, removed
	tools/release-check

check: lint test
	tools/check
	tools/cross-build
	go -C tools test ./...

endif
