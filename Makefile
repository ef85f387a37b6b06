# Two commands do everything from a fresh clone: `make demo` and `make test`.

CARGO ?= cargo
POLYPLANE = target/release/polyplane
BENCH = target/release/polyplane-bench
# Lints and tests have the same features, with the sockets that are left out of a usual build.
WITH_AF_XDP = --features polyplane-live/af_xdp

.PHONY: help setup build demo test lint doc package bench bench-live vswitch-outside fuzz conformance conformance-p4info conformance-p4runtime conformance-tna conformance-domino conformance-lab clean

help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-20s %s\n", $$1, $$2}'

setup:
	@bash scripts/setup.sh

build: setup ## build the command polyplane (target/release/polyplane)
	$(CARGO) build --release --locked --package polyplane

demo: build ## the main job: a program on three machines, a table, and a report in out/demo/
	$(POLYPLANE) demo --out-dir out/demo

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked $(WITH_AF_XDP) -- -D warnings

# The pages are made without AF_XDP, so that also the libraries without it are known to compile.
doc: setup ## the pages of every crate (target/doc), without a warning
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

package: setup ## the packages as they would be published, each built from its own files
	$(CARGO) package --workspace --locked

# While the compiler works, what tests need besides is fetched.
test: setup ## format, lints, pages, and every test
	@bash scripts/setup.sh tests & tools=$$!; \
		$(MAKE) --no-print-directory lint doc; status=$$?; wait $$tools && exit $$status
	CARGO="$(CARGO)" bash scripts/test.sh --workspace --locked $(WITH_AF_XDP)
	@if command -v python3 >/dev/null; then python3 programs/domino/reference.py --check && python3 programs/p4/reference.py --check; fi

bench: setup ## speed of each machine and of networks; HTSIM=<folder with htsim's binaries> runs those in turn; SWITCHML=<a checkout>
	$(CARGO) build --release --locked --package polyplane-benchmarks
	HTSIM="$(HTSIM)" SWITCHML="$(SWITCHML)" $(BENCH)

bench-live: setup ## `polyplane live` beside a bridge and a plain cross-connect; ROUNDS=5; BMV2=<folder with simple_switch>
	$(CARGO) build --release --locked --package polyplane --package polyplane-benchmarks --features polyplane/af_xdp
	BMV2="$(BMV2)" POLYPLANE="$(POLYPLANE)" $(BENCH) --only live,refresh $(if $(ROUNDS),--rounds $(ROUNDS))

# The tests say at which computer something is missing. One after the other, so that figures are of a tool that has the computer.
vswitch-outside: setup ## the virtual switch with podman, systemd, QEMU, iperf3, nginx, redis, memcached; SECONDS_EACH=2
	@bash scripts/setup.sh tests outside
	rm -rf target/vswitch-outside
	POLYPLANE_TOOLS_SECONDS=$(or $(SECONDS_EACH),2) POLYPLANE_TOOLS_REPORT=$(CURDIR)/target/vswitch-outside \
		$(CARGO) test --release --locked --package polyplane --test vswitch_outside -- --test-threads 1 --nocapture
	@cat target/vswitch-outside/*.md target/vswitch-outside/*.drops

fuzz: setup ## every fuzzer for FUZZ_SECONDS=30 each; TARGETS="domino passes" for some of them
	bash fuzz/run.sh $(TARGETS)

conformance: build ## public P4 programs, from checkouts: P4C= TUTORIALS= SONIC_PINS= DASH= P4_GUIDE=, each optional; REPORT=FILE
	P4C="$(P4C)" TUTORIALS="$(TUTORIALS)" SONIC_PINS="$(SONIC_PINS)" DASH="$(DASH)" P4_GUIDE="$(P4_GUIDE)" \
		bash scripts/conformance-p4.sh $(if $(REPORT),--report "$(REPORT)")

conformance-p4info: build ## P4Info against the published: P4C=<p4lang/p4c> SAI=<sonic-net/sonic-pins>; REPORT=FILE
	bash scripts/conformance-p4info.sh "$(P4C)" "$(SAI)" $(if $(REPORT),--report "$(REPORT)")

conformance-p4runtime: build ## table entries and packets of SAI P4 by P4Runtime: SONIC_PINS=<sonic-net/sonic-pins>
	bash scripts/conformance-p4runtime.sh "$(SONIC_PINS)"

conformance-lab: build ## the exercises of the P4 tutorials in labs: TUTORIALS=<p4lang/tutorials>; REPORT=FILE
	bash scripts/conformance-lab.sh "$(TUTORIALS)" $(if $(REPORT),--report "$(REPORT)")

conformance-tna: build ## public programs for Tofino: OPEN_P4STUDIO= P4C= SWITCHML= FABRIC_TNA=, checkouts, each optional
	OPEN_P4STUDIO="$(OPEN_P4STUDIO)" P4C="$(P4C)" SWITCHML="$(SWITCHML)" FABRIC_TNA="$(FABRIC_TNA)" \
		bash scripts/conformance-tna.sh

conformance-domino: build ## every program of the public Domino collection: EXAMPLES=<a checkout>
	bash scripts/conformance-domino.sh "$(EXAMPLES)"

clean:
	$(CARGO) clean
	rm -rf out
