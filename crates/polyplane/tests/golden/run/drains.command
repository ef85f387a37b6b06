# command: polyplane run programs/domino/heavy_hitters/heavy_hitters.c --machine mp5 --pipelines 2 --steering recirculation --rules delayed-at-exit --traffic programs/captures/office.pcap
# command: polyplane run programs/domino/heavy_hitters/heavy_hitters.c --machine mp5 --steering recirculation --rules artifact --traffic programs/captures/office.pcap
