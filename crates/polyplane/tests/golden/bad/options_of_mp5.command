# command: polyplane check programs/domino/sequencer/sequencer.c --machines banzai,recirculating --rules artifact --ordering none --fifo-depth 3
