# command: polyplane run programs/domino/flowlet/flowlet.c --machine mp5 --traffic 1=programs/captures/office.pcap --traffic 2=programs/captures/dns.pcap
# command: polyplane run programs/domino/flowlet/flowlet.c --traffic programs/captures/office.pcap --port 3 --rate 4000000000 --packets 1000
# command: polyplane run programs/domino/flowlet/flowlet.c --traffic 1=programs/captures/office.pcap --repeat 2
# command: polyplane run programs/domino/flowlet/flowlet.c --traffic 1=programs/captures/office.pcap --traffic skewed
# command: polyplane run programs/domino/flowlet/flowlet.c --machine mp5 --traffic 1=programs/captures/office.pcap --sharding sorted
# command: polyplane check programs/domino/flowlet/flowlet.c --traffic 1=programs/captures/office.pcap --traffic 2=programs/captures/dns.pcap --traffic uniform
# command: polyplane check programs/p4/heavy_hitter/heavy_hitter.p4 --tables programs/p4/heavy_hitter/office.txt --traffic 1=programs/captures/office.pcap --packets 1000
# command: polyplane trace programs/domino/packet_counter/packet_counter.c --traffic 5=programs/captures/dns.pcap --nth 2
