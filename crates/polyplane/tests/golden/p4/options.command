# command: polyplane compile $FOLDER/switch.p4 --pipelines 2 --depth 3
# command: polyplane compile $FOLDER/switch.p4 --binding b.toml
# command: polyplane compile $FOLDER/switch.p4 --emit everything
# command: polyplane compile $FOLDER/switch.p4 --machine trident
# command: polyplane compile $FOLDER/absent.p4
# command: polyplane compile programs/domino/flowlet/flowlet.c --p4info -D x
# command: polyplane run programs/domino/flowlet/flowlet.c --tables a --port 1 --undefined random:1
# command: polyplane run programs/domino/flowlet/flowlet.c --traffic uniform --traffic skewed
# command: polyplane run $FOLDER/switch.p4
# command: polyplane run $FOLDER/switch.p4 --traffic programs/captures/dns.pcap
# command: polyplane run $FOLDER/switch.p4 --traffic 1=absent.pcap
# command: polyplane run $FOLDER/switch.p4 --traffic 1=$FOLDER/switch.p4
# command: polyplane run $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap --rate 5 --timestamps --repeat 2
# command: polyplane run $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap --rate 5 --timestamps
# command: polyplane run $FOLDER/switch.p4 --machine banzai --traffic 1=programs/captures/dns.pcap
# command: polyplane run $FOLDER/switch.p4 --tables $FOLDER/bad/tables.json --traffic 1=programs/captures/dns.pcap
# command: polyplane run programs/domino/flowlet/flowlet.c --machine v1model
# command: polyplane run $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap --port 2
# command: polyplane run $FOLDER/switch.p4 --traffic 511=programs/captures/dns.pcap
# command: polyplane run $FOLDER/switch.p4 --traffic uniform
# command: polyplane run $FOLDER/switch.p4 --traffic 1=skewed:flows=64
# command: polyplane run $FOLDER/commands.txt
# command: polyplane check $FOLDER/switch.p4
# command: polyplane check $FOLDER/switch.p4 --machines v1model
# command: polyplane check $FOLDER/commands.txt
# command: polyplane demo --program $FOLDER/switch.p4 --out-dir $OUT
# command: polyplane compile $FOLDER/commands.txt
# command: polyplane trace programs/domino/flowlet/flowlet.c --packet 00
# command: polyplane stf programs/domino/flowlet/flowlet.c $FOLDER/switch.stf
# command: polyplane run programs/domino/flowlet/flowlet.c --machine native
# command: polyplane run programs/domino/flowlet/flowlet.c --sharding random --recirculation-latency 4
# command: polyplane compile programs/domino/flowlet/flowlet.c --sram-blocks 3 --hash-units 1 --fifo-depth 2
# command: polyplane compile crates/polyplane/tests/golden/emit/laid_out.ir --machine mp5 --depth 3 --rules artifact
# command: polyplane run $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap --pipelines 2 --stages banzai
# command: polyplane check $FOLDER/switch.p4 --traffic uniform --timestamps --repeat 2 --binding b.toml
# command: polyplane check $FOLDER/switch.p4 --machines native --pipelines 2 --sharding random
# command: polyplane check $FOLDER/switch.p4 --machines banzai --stages banzai --tcam-blocks 2 --ordering none
# command: polyplane check $FOLDER/switch.p4 --machines native --packets 100
# command: polyplane trace $FOLDER/switch.p4 --packet 00 --machine native
# command: polyplane trace $FOLDER/switch.p4 --packet 00 --rate 5
# command: polyplane check $FOLDER/switch.p4 --timestamps --repeat 2
# command: polyplane compile programs/domino/flowlet/flowlet.c --machine v1model --emit typed
# command: polyplane run $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap --machine mp5 --sharding sorted
# command: polyplane check $FOLDER/switch.p4 --traffic 1=programs/captures/dns.pcap
# command: polyplane check $FOLDER/switch.p4 --machines native --traffic programs/captures/dns.pcap
