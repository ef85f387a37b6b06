"""Frames with the headers that SAI P4 parses."""

import ipaddress
import struct

IPV4, IPV6, IPV6_IN, UDP = 0x0800, 0x86DD, 41, 17


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def ethernet(destination, source, kind, rest):
    return mac(destination) + mac(source) + struct.pack("!H", kind) + rest


def vlan(frame, number):
    """The frame with a tag of IEEE 802.1Q."""
    return frame[:12] + struct.pack("!HH", 0x8100, number) + frame[12:]


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(source, destination, ttl, rest, protocol=UDP):
    head = struct.pack("!BBHHHBBH", 0x45, 0x6D, 20 + len(rest), 0, 0, ttl, protocol, 0)
    head += ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + rest


def ipv6(source, destination, hop_limit, rest, next_header=UDP):
    head = struct.pack("!IHBB", 0x66D12345, len(rest), next_header, hop_limit)
    return head + ipaddress.ip_address(source).packed + ipaddress.ip_address(destination).packed + rest


def udp(payload):
    return struct.pack("!HHHH", 20, 10, 8 + len(payload), 0) + payload
