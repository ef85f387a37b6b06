# command: polyplane compile programs/domino/stfq/stfq.c --atom nested_ifs --emit smt
