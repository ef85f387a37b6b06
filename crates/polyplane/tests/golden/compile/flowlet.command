# command: polyplane compile programs/domino/flowlet/flowlet.c
# command: polyplane compile programs/domino/flowlet/flowlet.c --machine mp5 --pipelines 4
# command: polyplane compile programs/domino/flowlet/flowlet.c --machine recirculating --pipelines 2
