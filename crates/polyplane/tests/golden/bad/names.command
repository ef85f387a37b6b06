# command: polyplane run programs/domino/sequencer/sequencer.c --machine trident
# command: polyplane check programs/domino/sequencer/sequencer.c --machines mp5,trident,trip --flow-order flow,group
# command: polyplane check programs/domino/sequencer/sequencer.c --machines mp5 --flow-order flow,group
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --atom none
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --sharding static
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --rules random
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --steering wire
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --mutate all
