# command: polyplane compile programs/domino/sequencer/sequencer.c --machine mp5 --flow-order group,slot
