# command: polyplane vswitch topology --log $FOLDER/logs --at 2026-09-21T14:13:20Z 10.0.1.1 10.0.1.3
# command: polyplane vswitch topology --log $FOLDER/logs --at 1790000000 --json one two
# command: polyplane vswitch topology --log $FOLDER/logs --at 1789990000 10.0.1.1 10.0.1.3
# command: polyplane vswitch topology --log $FOLDER/logs --at 2026-09-21T14:20:00Z 10.0.1.1 10.0.1.3
# command: polyplane vswitch topology --log $FOLDER/logs --at yesterday 10.0.1.1 10.0.1.3
# command: polyplane vswitch topology --log $FOLDER/none --at 0 10.0.1.1 10.0.1.3
