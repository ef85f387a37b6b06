"""p4runtime-shell as a controller: the pipeline, an entry, a packet there and back."""

import sys

address, files = sys.argv[1:3]
sys.argv = sys.argv[:1]  # the shell reads the command line too
import p4runtime_sh.shell as sh

config = sh.FwdPipeConfig(files + ".p4info.txt", files + ".json")
sh.setup(device_id=1, grpc_addr=address, election_id=(0, 1), config=config)
entry = sh.TableEntry("EchoIngress.drops")(action="EchoIngress.drop")
entry.match["hdr.frame.kind"] = "8"
entry.insert()
found = []
sh.TableEntry("EchoIngress.drops").read(found.append)
assert len(found) == 1, found
for kind in (8, 7):
    out = sh.PacketOut()
    out.payload = bytes([kind, 0xAA])
    out.metadata["egress_port"] = "3"
    out.metadata["unused"] = "0"
    out.send()
packets = [message.packet.payload for message in sh.PacketIn().sniff(timeout=2)]
assert packets == [b"\x07\xaa"], packets
entry.delete()
sh.teardown()
print("done")
