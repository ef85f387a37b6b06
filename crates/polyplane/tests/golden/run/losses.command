# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --traffic skewed:states=64 --fifo-depth 4 --ecn-threshold 2
