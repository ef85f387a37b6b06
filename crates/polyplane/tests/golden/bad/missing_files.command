# command: polyplane compile absent.c
# command: polyplane compile programs
# command: polyplane compile crates/polyplane/tests/golden/bad/good.c --binding absent.toml
# command: polyplane run crates/polyplane/tests/golden/bad/good.c --traffic absent.pcap
# command: polyplane run crates/polyplane/tests/golden/bad/good.c --traffic absent.csv
# command: polyplane run crates/polyplane/tests/golden/bad/good.c --out-dir Cargo.toml
