# command: polyplane compile crates/cli/tests/golden/bad/empty.c
