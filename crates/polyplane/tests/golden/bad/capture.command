# command: polyplane run crates/polyplane/tests/golden/bad/good.c --traffic crates/polyplane/tests/golden/bad/cut.pcap --out-dir $OUT
# command: polyplane check crates/polyplane/tests/golden/bad/good.c --traffic crates/polyplane/tests/golden/bad/cut.pcap
# command: polyplane run crates/polyplane/tests/golden/bad/good.c --traffic crates/polyplane/tests/golden/bad/cut.pcap,faults=accept
# command: polyplane run crates/polyplane/tests/golden/bad/good.c --traffic capture:crates/polyplane/tests/golden/bad/good.c
