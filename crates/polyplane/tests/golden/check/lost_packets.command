# command: polyplane check programs/domino/sequencer/sequencer.c --machines mp5 --packets 2000 --fifo-depth 4
