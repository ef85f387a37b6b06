# command: polyplane compile programs/domino/flowlet/flowlet.c --atom raw --stateful 0 --stateless 0
# command: polyplane compile programs/domino/flowlet/flowlet.c --depth 3
# command: polyplane run programs/domino/figure3/figure3.c --machine mp5
# command: polyplane check programs/domino/figure3/figure3.c
# command: polyplane compile programs/domino/rcp/rcp.c --machine mp5 --depth 4 --stateful 1
