# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --fifo-depth 0
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --remap-period 0
# command: polyplane run programs/domino/sequencer/sequencer.c --pipelines 65
