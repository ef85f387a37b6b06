# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --packets 2000 --sharding one-pipeline
# command: polyplane run programs/domino/sequencer/sequencer.c --machine mp5 --packets 2000 --steering recirculation --recirculation-latency 20
