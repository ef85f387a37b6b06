# command: polyplane compile programs/domino/sequencer/sequencer.c --machine mp5 --json
