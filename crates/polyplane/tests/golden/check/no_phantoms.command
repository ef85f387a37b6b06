# command: polyplane check programs/domino/figure3/figure3.c --machines mp5 --atom mul_acc --traffic uniform:states=4 --packets 40 --ordering none
