# command: polyplane compile crates/polyplane/tests/golden/bad/empty.c
