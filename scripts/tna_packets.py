#!/usr/bin/env python3
"""Packets, entries and answers of our own for public programs for TNA (p4lang/open-p4studio, `p4_16_programs`).

    python3 scripts/tna_packets.py FOLDER    writes a packet test (NAME.stf) for each program into the folder

What the programs are to do was read in them and in their tests; the answers are computed here, without Polyplane.
"""

import pathlib
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "programs/p4"))

from reference import Test  # noqa: E402
from wire import ARP, IPV6, TCP, UDP, crc16, crc32, ethernet, ip, ipv4, ipv6, mac, tcp, udp  # noqa: E402

ONE, OTHER, THIRD = "00:11:22:33:44:55", "00:66:77:88:99:aa", "00:cc:dd:ee:ff:00"
DATA = bytes(range(40))


def frame(destination=ONE, source=OTHER, to="10.0.0.1", by="192.0.2.1", ttl=64, data=DATA):
    """Ethernet, IPv4, UDP and data."""
    return [
        ethernet(destination, source), ipv4(by, to, 8 + len(data), ttl=ttl), udp(1234, 80, len(data)), data,
    ]


def frame6(to):
    return [ethernet(ONE, OTHER, IPV6), ipv6("::1", to, 9), DATA[:9]]


def summed(protocol, source, port, data=DATA, **other):
    """A frame of TCP or UDP with right checksums."""
    between = (source, "203.0.113.9")
    transport = tcp(port, 80, 16, between, data) if protocol == TCP else udp(port, 80, len(data), between, data)
    return [ethernet(ONE, OTHER), ipv4(*between, len(transport) + len(data), protocol, **other), transport, data]


def tna_exact_match(test):
    test.say(
        f"add forward ethernet.dst_addr:{ONE} hit(port:5)",
        f"add ipRoute vrf:0 ipv4.dst_addr:10.0.0.2 route(srcMac:{THIRD}, dstMac:{OTHER}, dst_port:7) = $route",
        "add ipRoute vrf:0 ipv4.dst_addr:10.0.0.3 nat(srcAddr:192.0.2.9, dstAddr:10.9.9.9, dst_port:8) = $nat",
    )
    test.through(1, 5, *frame())
    test.packet(1, *frame(destination=OTHER))
    for destination in (ONE, THIRD):
        test.packet(1, *frame(destination, to="10.0.0.2"))
        test.expect(7, *frame(OTHER, THIRD, to="10.0.0.2"))
    test.packet(1, *frame(to="10.0.0.3"))
    test.expect(8, *frame(to="10.9.9.9", by="192.0.2.9"))
    test.counts("cntr", route=2, nat=1)
    test.say(f"check_counter cntr($route) bytes == {2 * sum(map(len, frame()))}")


def tna_lpm_match(test):
    test.say(
        "add forward vrf:0 ipv4.dst_addr:10.0.0.0/8 hit(port:1)",
        "add forward vrf:0 ipv4.dst_addr:10.1.0.0/16 hit(port:2)",
        "add forward vrf:0 ipv4.dst_addr:10.1.2.3/32 hit(port:3)",
        f"add alpm_forward vrf:0 ipv4.dst_addr:172.16.0.0/12 route(srcMac:{ONE}, dstMac:{THIRD}, dst_port:4)",
    )
    for to, port in (("10.9.9.9", 1), ("10.1.9.9", 2), ("10.1.2.3", 3)):
        test.through(0, port, *frame(to=to))
    test.packet(0, *frame(to="172.31.0.1"))
    test.expect(4, *frame(THIRD, ONE, to="172.31.0.1"))
    test.packet(0, *frame(to="172.32.0.1"))
    test.packet(0, ethernet(ONE, OTHER, ARP), bytes(28))


def tna_alpm(test):
    test.say(
        "add ipv4_subset_key vrf:0 ipv4.dst_addr:10.0.0.0/8 route(dst_port:1)",
        "add ipv4_exclude_msb vrf:0 ipv4.dst_addr:10.1.0.0/16 route(dst_port:2)",
        "add ipv6_exclude_msb vrf:0 ipv6.dst_addr:2001:db8::/32 route(dst_port:3)",
    )
    test.through(9, 1, *frame(to="10.2.0.1"))
    test.through(9, 2, *frame(to="10.1.0.1"))
    test.through(9, 3, *frame6("2001:db8::7"))
    test.packet(9, *frame6("2001:db9::7"))


def tna_range_match(test):
    test.say(
        "add forward 1 ipv4.dst_addr:10.0.0.1 ipv4.total_len:60->76 hit(port:2)",
        "add forward 1 ipv4.dst_addr:10.0.0.1 ipv4.total_len:77->78 hit(port:3)",
    )
    for length, port in ((59, None), (60, 2), (76, 2), (77, 3), (78, 3), (79, None)):
        headers = frame(data=bytes(length - 28))
        test.packet(1, *headers)
        if port:
            test.expect(port, *headers)


def tna_ternary_match(test):
    test.say(
        "add forward 5 vrf:0 ipv4.dst_addr:10.0.0.0&&&0xff0000ff hit(port:1)",
        "add forward 9 vrf:0 ipv4.dst_addr:10.0.0.1/32 hit(port:2)",
        "add set_partition ipv4.protocol:17 init_index(p_index:3)",
        "add forward_atcam 1 partition.partition_index:3 ipv4.dst_addr:11.0.0.0/8 hit(port:4)",
        "add forward_atcam 1 partition.partition_index:2 ipv4.dst_addr:12.0.0.0/8 hit(port:5)",
        f"add tcam_table 1 ipv4.dst_addr:13.0.0.0/8 ipv4.src_addr:* change_smac(srcMac:{THIRD}, dst_port:6)",
        "act_prof_create_member SwitchIngress.action_profile change_ipsrc 192.0.2.99 8",
        f"table_indirect_add tcam_direct_lpf {THIRD}&&&0xffffffffffff 0&&&0 => 0 1",
    )
    for to, port in (("10.7.8.0", 1), ("10.0.0.1", 2), ("11.0.0.1", 4)):
        test.through(1, port, *frame(to=to))
    test.packet(1, *frame(to="12.0.0.1"))
    test.packet(1, *frame(to="13.0.0.1"))
    test.expect(6, *frame(source=THIRD, to="13.0.0.1"))
    test.packet(1, *frame(THIRD))
    test.expect(8, *frame(THIRD, by="192.0.2.99"))


def tna_field_slice(test):
    test.say(
        'add forward_single_field_single_slice ingress_port:1 "hdr.ipv6.dst_addr[15:7]":0x21 hit(port:5)',
        'add forward_single_field_single_slice_lpm ingress_port:2 "hdr.ipv6.dst_addr[94:45]":0x0/0 hit(port:6)',
    )
    test.through(1, 5, *frame6("2001::10ff"))
    test.packet(1, *frame6("2001::11ff"))
    test.through(2, 6, *frame6("2001::11ff"))


def tna_bridged_md(test):
    test.say("setdefault output_port set_output_port(port_id:6)")
    test.through(3, 6, *frame())
    test.say("setdefault bridge_md_ctrl bridge_add_ig_intr_md()")
    test.packet(3, *frame())
    test.expect(6, *frame("00:00:00:00:00:03"))
    arguments = "dst_mac_addr_low:0x01020304, src_mac_addr_low:0xa0b0c0d0"
    test.say(f"setdefault bridge_md_ctrl bridge_add_example_hdr({arguments})")
    test.packet(3, *frame())
    test.expect(6, *frame("00:00:01:02:03:04", "00:00:a0:b0:c0:d0"))


def tna_counter(test):
    test.say(
        f"add forward 1 ethernet.src_addr:{OTHER} hit(port:2) = $source",
        f"add forward_exact ethernet.src_addr:{ONE} hit_forward_exact(port:4) = $exact",
        f"add forward_dst ethernet.dst_addr:{THIRD} hit_dst(port:3)",
        f"add forward_or_drop ethernet.dst_addr:{OTHER} drop() = $drop",
    )
    for destination, source, port in ((ONE, OTHER, 2), (THIRD, OTHER, 3), (ONE, ONE, 4), (THIRD, ONE, 3)):
        test.through(1, port, *frame(destination, source))
    test.packet(1, *frame(destination=OTHER))
    test.packet(1, *frame(source=THIRD))
    test.counts("direct_counter", source=3)
    test.counts("direct_counter_2", exact=2)
    test.counts("direct_counter_3", drop=1)
    test.counts("indirect_counter", _3=2)


def tna_operations(test):
    test.say(
        f"add forward 1 ethernet.src_addr:{OTHER} hit(port:2) = $source",
        f"add forward_dst ethernet.dst_addr:{THIRD} hit_dst(port:3)",
    )
    for destination, source, port in ((ONE, OTHER, 2), (THIRD, OTHER, 3), (THIRD, ONE, 3)):
        test.through(1, port, *frame(destination, source))
    test.packet(1, *frame(source=ONE))
    test.counts("direct_counter", source=2)
    test.counts("indirect_counter", _3=2, _2=0)


def tna_action_profile(test):
    test.say(
        "act_prof_create_member SwitchIngress.action_profile set_port 5",
        "table_indirect_add forward 1 0 => 0",
        f"act_prof_create_member shared_action_profile set_nexthop 6 {THIRD} {ONE}",
        "act_prof_create_member shared_action_profile send_to_cpu",
        "table_indirect_add fib 0 10.0.0.0/8 => 0",
        "table_indirect_add fallback 11.0.0.0/8 => 1",
        "table_indirect_add fallback 12.0.0.0/8 => 0",
    )
    for port, to in ((1, "10.0.0.1"), (2, "12.1.1.1")):
        test.packet(port, *frame(to=to))
        test.expect(6, *frame(ONE, THIRD, to=to, ttl=63))
    test.through(1, 64, *frame(to="11.1.1.1"))
    test.through(1, 5, *frame(to="13.1.1.1"))
    test.packet(2, *frame(to="13.1.1.1"))


def tna_action_selector(test):
    ports = [11, 12, 13, 14]
    profile = "example_action_selector_ap"
    test.say(
        *(f"act_prof_create_member {profile} hit {port}" for port in ports),
        f"act_prof_create_group {profile}",
        *(f"act_prof_add_member_to_group {profile} {member} 0" for member in range(len(ports))),
        "table_indirect_add_with_group forward 1 => 0",
        "table_indirect_add forward 2 => 3",
    )
    for number in range(12):
        by = f"10.0.{number}.{number * 7}"
        chosen = crc16(mac(OTHER) + mac(ONE) + ip(by) + ip("10.0.0.1")) % len(ports)
        test.through(1, ports[chosen], *frame(by=by))
    test.through(2, ports[3], *frame())
    test.packet(3, *frame())


def tna_checksum(test):
    test.say(
        "setdefault output_port set_output_port(port_id:3)",
        "add translate ipv4.src_addr:10.0.0.2 sntpat(src_addr:192.0.2.44, src_port:999, update:1)",
        "add translate ipv4.src_addr:10.0.0.3 snupat(src_addr:192.0.2.44, src_port:999, update:1)",
    )
    test.through(1, 3, *summed(TCP, "10.9.9.9", 5))
    test.packet(1, *summed(TCP, "10.9.9.9", 5, checksum=7))
    test.expect(3, ethernet("00:00:de:ad:be:ef", OTHER), *summed(TCP, "10.9.9.9", 5, checksum=7)[1:])
    test.packet(1, *summed(TCP, "10.0.0.2", 5))
    test.expect(3, *summed(TCP, "192.0.2.44", 999))
    test.packet(1, *summed(UDP, "10.0.0.3", 5, DATA[:7]))
    test.expect(3, *summed(UDP, "192.0.2.44", 999, DATA[:7]))


def tna_custom_hash(test):
    def crc32_bzip2(data):
        """CRC-32/BZIP2: the polynomial of Ethernet's with the highest bit first."""
        value = 0xFFFFFFFF
        for byte in data:
            value ^= byte << 24
            for _ in range(8):
                value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
        return value ^ 0xFFFFFFFF

    test.say("setdefault output_port set_output_port(port_id:3)")
    first, *behind = frame()
    destination, source = first[:6], first[6:12]
    test.packet(1, first, *behind)
    hashed = [crc32(destination[2:]).to_bytes(4, "big"), crc32_bzip2(source[2:]).to_bytes(4, "big")]
    test.expect(3, destination[:2] + hashed[0] + source[:2] + hashed[1] + first[12:], *behind)


def tna_dyn_hashing(test):
    def crc64(data):
        """CRC-64/ECMA-182."""
        value = 0
        for byte in data:
            value ^= byte << 56
            for _ in range(8):
                value = (value << 1 ^ (0x42F0E1EBA9EA3693 if value >> 63 else 0)) & (1 << 64) - 1
        return value

    test.say("act_prof_create_member example_action_selector_ap hit 9", "table_indirect_add forward 1 => 0")
    first, transport = ethernet(ONE, OTHER), tcp(5, 80)
    network = ipv4("192.0.2.1", "198.51.100.1", 20, TCP)
    hashed = crc64(ip("192.0.2.1") + ip("198.51.100.1") + transport[:4]) & 0xFFFFFFFF
    test.packet(1, first, network, transport)
    test.expect(9, first[:8] + hashed.to_bytes(4, "big") + first[12:], network, transport)


def tna_timestamp(test):
    test.say("setdefault output_port set_output_port(port_id:3)")
    headers = [ethernet(ONE, OTHER), ipv4("192.0.2.1", "198.51.100.1", 48), udp(1, 2, 40)]
    for _ in range(3):
        now = 1000 * test.packet(2, *headers, bytes(40))
        test.expect(3, *headers, struct.pack("!QQIIQ", now, now, now, 0, now), bytes(8))


def tna_mirror(test):
    for port, out, ingress, egress in ((1, 2, (0, 0), (0, 0)), (3, 4, (1, 5), (0, 0)), (5, 6, (0, 0), (1, 6))):
        arguments = f"ing_mir:{ingress[0]}, ing_ses:{ingress[1]}, egr_mir:{egress[0]}, egr_ses:{egress[1]}"
        test.say(f"add mirror_fwd ingress_port:{port} set_md(dest_port:{out}, {arguments})")
    test.say("mirroring_add 5 10 40", "mirroring_add 6 11")
    test.through(1, 2, *frame())
    test.through(3, 4, *frame())
    # The header that the program puts in front has one byte, and is cut with the packet.
    test.expect(10, b"".join(frame())[:39])
    test.through(5, 6, *frame())
    test.expect(11, *frame())


def tna_multicast(test):
    test.say(
        "add ing_port ingress_port:1 vlan_tag.isValid():0 vlan_tag.vid:0 set_ifid(ifid:5)",
        "add ing_src_ifid ig_md.ifid:5 set_src_ifid_md(rid:1, yid:2, brid:7, hash1:0, hash2:0, c2c_enable:0)",
        f"add ing_dmac ig_md.brid:7 ethernet.dst_addr:{OTHER} l2_switch(port:9)",
        f"add ing_dmac ig_md.brid:7 ethernet.dst_addr:{THIRD} route(vrf:3)",
        "add ing_ipv4_mcast 1 ig_md.vrf:3 ipv4.src_addr:* ipv4.dst_addr:224.0.0.0/4 "
        "mcast_route(xid:9, mgid1:8, mgid2:10)",
    )
    for node, (group, ports) in enumerate(((7, "20 21 22"), (8, "30 31"), (10, "32"))):
        test.say(f"mc_mgrp_create {group}", f"mc_node_create {50 + node} {ports}", f"mc_node_associate {group} {node}")
    test.packet(1, *frame())
    for port in (20, 21, 22):
        test.expect(port, *frame())
    test.through(1, 9, *frame(OTHER))
    test.packet(1, *frame(THIRD, to="233.252.0.1"))
    for port in (30, 31, 32):
        test.expect(port, *frame(THIRD, to="233.252.0.1", ttl=63))
    test.packet(2, *frame())


def tna_digest(test):
    test.say(
        f"add dmac ethernet.dst_addr:{ONE} dmac_hit(port:4)",
        f"add smac ethernet.src_addr:{OTHER} smac_hit(port:1)",
        f"add dmac ethernet.dst_addr:{THIRD} dmac_hit_with_digest(port:5, f:77)",
    )
    test.through(1, 4, *frame())
    test.through(2, 4, *frame())
    test.through(1, 5, *frame(THIRD))
    test.packet(1, *frame(OTHER))


def tna_register(test):
    test.say(
        f"add reg_match ethernet.dst_addr:{ONE} register_action(idx:9)",
        f"add reg_match_dir ethernet.src_addr:{OTHER} register_action_dir()",
    )
    test.through(4, 4, *frame())
    test.through(4, 4, *frame())


def tna_port_metadata(test):
    test.say(
        "add port_md_exm_match port_md.field1:0 port_md.field2:0 port_md.field3:0 port_md.field4:0 hit(port:8)")
    test.through(3, 8, *frame())


def tna_resubmit(test):
    # No port has metadata here, so that its two fields are 0.
    for port, action in (
        (1, "no_resub()"),
        (2, "resub_a(f1:0x17, f2:0x2345, f3:0x6789abcd, more_data:0)"),
        (3, "resub_b(f1:0x42, more_data:0)"),
        (4, "resub_c(f1:0x1001, f2:0x2002, f3:0x3003, more_data:0)"),
    ):
        test.say(f"add pass_one port:{port} f1:0 f2:0 {action}")
    test.say(
        "add pass_two_type_a md.a.f1:0x17 md.a.f2:0x2345 md.a.f3:0x6789abcd okay_a()",
        "add pass_two_type_b md.b.f1:0x42 okay_b()",
        "add pass_two_type_c md.c.f1:0x1001 md.c.f2:0x2002 md.c.f3:0x3003 okay_c()",
    )
    # What the first pass changes stays only if there is no second one.
    first, *behind = frame()
    test.packet(1, first, *behind)
    test.expect(1, bytes(5) + b"\1" + bytes(6) + first[12:], *behind)
    for port in (2, 3, 4):
        test.through(port, port, *frame())
        test.counts("cntr", **{f"_{port - 1}": 1})
    # Its numbers have one bit.
    test.counts("cntr", _0=1)
    test.packet(5, *frame())


def tna_random(test):
    test.packet(5, *frame())
    first, network, *behind = frame()
    any_source = network[:12].hex() + "*" * 8 + network[16:].hex()
    test.say(" ".join(["expect 5", first.hex(), any_source, *(header.hex() for header in behind)]) + "$")


PROGRAMS = [
    tna_action_profile, tna_action_selector, tna_alpm, tna_bridged_md, tna_checksum, tna_counter, tna_custom_hash,
    tna_digest, tna_dyn_hashing, tna_exact_match, tna_field_slice, tna_lpm_match, tna_mirror, tna_multicast,
    tna_operations, tna_port_metadata, tna_random, tna_range_match, tna_register, tna_resubmit, tna_ternary_match, tna_timestamp,
]


def main(folder):
    for program in PROGRAMS:
        test = Test(f"Packets for `{program.__name__}` of p4lang/open-p4studio, and what must come of them.")
        program(test)
        test.say("no_packet")
        (pathlib.Path(folder) / f"{program.__name__}.stf").write_text(test.text())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
