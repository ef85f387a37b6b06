# command: polyplane run programs/domino/sequencer/sequencer.c --machine tofino
# command: polyplane check programs/domino/sequencer/sequencer.c --machines mp5,tofino,trio --atom none --sharding static --ordering time --steering wire --rules random --blocking all --mutate all --flow-order flow,group
