# command: polyplane check programs/domino/sequencer/sequencer.c --machines banzai,recirculating --traffic uniform:states=16 --packets 500
# command: polyplane check programs/domino/sequencer/sequencer.c --machines recirculating --traffic uniform:states=16 --packets 500 --json
