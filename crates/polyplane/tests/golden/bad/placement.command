# command: polyplane run programs/domino/figure3/figure3.c --machine mp5 --atom mul_acc --pipelines 2 --traffic programs/domino/figure3/packets.csv --placement reg1[4]=0,reg3
# command: polyplane run programs/domino/figure3/figure3.c --machine mp5 --atom mul_acc --pipelines 2 --traffic programs/domino/figure3/packets.csv --placement reg1[4]=0,reg4[0]=0,reg2[0]=2
# command: polyplane run programs/domino/figure3/figure3.c --machine banzai --atom mul_acc --traffic programs/domino/figure3/packets.csv --placement reg1[1]=0
# command: polyplane run programs/p4/calculator/calculator.p4 --traffic programs/captures/dns.pcap --timeline
# command: polyplane run programs/domino/figure3/figure3.c --machine mp5 --placement nowhere.txt
