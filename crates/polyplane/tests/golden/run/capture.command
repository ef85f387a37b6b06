# command: polyplane run programs/domino/flowlet/flowlet.c --machine mp5 --traffic programs/captures/office.pcap
# command: polyplane run programs/domino/dns_ttl_change/dns_ttl_change.c --machine mp5 --traffic programs/captures/office.pcap --timestamps --packets 500
