# command: polyplane run programs/domino/sequencer/sequencer.c --traffic uniform:states=0,colour=3,size=9
# command: polyplane run programs/domino/sequencer/sequencer.c --traffic capture
# command: polyplane run programs/domino/sequencer/sequencer.c --traffic uniform:field.grup=1
