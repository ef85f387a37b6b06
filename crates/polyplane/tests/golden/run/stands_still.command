# command: polyplane run programs/domino/heavy_hitters/heavy_hitters.c --machine mp5 --pipelines 2 --traffic programs/captures/office.pcap --packets 60 --mutate lost-packet --timeline=2
