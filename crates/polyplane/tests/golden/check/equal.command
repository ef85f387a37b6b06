# command: polyplane check programs/domino/stfq/stfq.c --machines banzai,mp5 --packets 2000
# command: polyplane check programs/domino/figure3/figure3.c --machines banzai,mp5 --atom mul_acc --pipelines 2 --traffic programs/domino/figure3/packets.csv
