# command: polyplane compile programs/domino/conga/conga.c --machine mp5
