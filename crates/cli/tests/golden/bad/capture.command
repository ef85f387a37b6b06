# command: polyplane run crates/cli/tests/golden/bad/good.c --traffic crates/cli/tests/golden/bad/cut.pcap --out-dir $OUT
# command: polyplane check crates/cli/tests/golden/bad/good.c --traffic crates/cli/tests/golden/bad/cut.pcap
# command: polyplane run crates/cli/tests/golden/bad/good.c --traffic crates/cli/tests/golden/bad/cut.pcap,faults=accept
# command: polyplane run crates/cli/tests/golden/bad/good.c --traffic capture:crates/cli/tests/golden/bad/good.c
