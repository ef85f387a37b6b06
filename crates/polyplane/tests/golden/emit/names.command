# command: polyplane compile programs/domino/sequencer/sequencer.c --emit list
# command: polyplane compile programs/domino/sequencer/sequencer.c --emit ssa
# command: polyplane compile programs/domino/sequencer/sequencer.c --machine mp5 --emit schedule
# command: polyplane compile programs/domino/sequencer/sequencer.c --emit smt --json
