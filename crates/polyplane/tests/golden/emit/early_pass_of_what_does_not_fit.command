# command: polyplane compile programs/domino/sequencer/sequencer.c --depth 1 --emit propagation
# command: polyplane compile programs/domino/sequencer/sequencer.c --depth 1 --emit pipeline
