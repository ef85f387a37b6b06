"""finsy as a controller: the pipeline, an entry, a packet there and back."""

import asyncio
import pathlib
import sys

import finsy as fy

address, files = sys.argv[1:3]


async def first_packet(switch):
    async for packet in switch.read_packets():
        return packet


async def main():
    options = fy.SwitchOptions(p4info=pathlib.Path(files + ".p4info.txt"), p4blob=pathlib.Path(files + ".json"))
    async with fy.Switch("switch", address, options) as switch:
        await switch.insert([fy.P4TableEntry("drops", match=fy.Match(kind=8), action=fy.Action("drop"))])
        entries = [entry async for entry in switch.read(fy.P4TableEntry())]
        assert len(entries) == 1, entries
        # finsy keeps packets only for those who read already.
        reader = asyncio.create_task(first_packet(switch))
        await asyncio.sleep(0)
        for kind in (8, 7):
            await switch.write([fy.P4PacketOut(bytes([kind, 0xAA]), egress_port=3, unused=0)])
        packet = await reader
        assert (packet.payload, packet["ingress_port"], packet["queue"]) == (b"\x07\xaa", 3, 5), packet


asyncio.run(asyncio.wait_for(main(), 30))
print("done")
