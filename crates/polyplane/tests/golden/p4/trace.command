# command: polyplane trace $FOLDER/switch.p4 --tables $FOLDER/switch.stf --port 3 --packet 00000000000c:00000000000a:9000:00123456
# command: polyplane trace $FOLDER/switch.p4 --tables $FOLDER/switch.stf --port 1 --packet 00000000000b00000000000a0800 --json
# command: polyplane trace $FOLDER/switch.p4 --tables $FOLDER/commands.txt --traffic 1=programs/captures/dns.pcap --nth 3
# command: polyplane trace $FOLDER/switch.p4 --traffic programs/captures/dns.pcap --port 1 --nth 1000000
# command: polyplane trace $FOLDER/switch.p4 --packet 00
# command: polyplane trace $FOLDER/switch.p4 --port 1 --packet 0g
# command: polyplane trace $FOLDER/switch.p4 --port 1 --packet 000
# command: polyplane trace $FOLDER/switch.p4 --packet=
# command: polyplane trace $FOLDER/switch.p4 --packet 00 --port 600
# command: polyplane trace $FOLDER/switch.p4 --traffic 600=programs/captures/dns.pcap
# command: polyplane trace $FOLDER/switch.p4
