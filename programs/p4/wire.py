"""Headers as bytes, checksums and hashes, for the packet tests in this folder. It shares no code with Polyplane."""

import ipaddress
import struct
import zlib
from fractions import Fraction

IPV4 = 0x0800
ARP = 0x0806
IPV6 = 0x86DD
ICMP, TCP, UDP, GRE, ICMPV6 = 1, 6, 17, 47, 58


def mac(text):
    return bytes(int(part, 16) for part in text.split(":"))


def ip(text):
    return ipaddress.IPv4Address(text).packed


def internet_checksum(data):
    """RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def crc16(data):
    """CRC-16/ARC: polynomial 0x8005, lowest bit first, from 0."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0xA001 if value & 1 else 0)
    return value


def crc32c(data):
    """CRC-32/ISCSI (RFC 3720, appendix B.4): polynomial 0x1edc6f41, lowest bit first, from all ones, inverted."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def crc32(data):
    """CRC-32/ISO-HDLC, that of Ethernet."""
    return zlib.crc32(data)


def ethernet(destination, source, ether_type=IPV4):
    return mac(destination) + mac(source) + struct.pack("!H", ether_type)


def ipv4(source, destination, length=0, protocol=UDP, **other):
    """A header with `length` bytes behind it. Whatever is in `other` stands there instead of what is right."""
    options = other.pop("options", b"")
    words = 5 + len(options) // 4
    fields = {
        "version": 4, "header_length": words, "service": 0, "total_length": 4 * words + length,
        "identification": 0x1234, "flags": 2, "offset": 0, "ttl": 64, "checksum": None,
    }
    unknown = other.keys() - fields.keys()
    assert not unknown, unknown
    fields.update(other)

    def packed(checksum):
        return struct.pack(
            "!BBHHHBBH", fields["version"] << 4 | fields["header_length"], fields["service"], fields["total_length"],
            fields["identification"], fields["flags"] << 13 | fields["offset"], fields["ttl"], protocol, checksum,
        ) + ip(source) + ip(destination) + options

    checksum = fields["checksum"]
    return packed(internet_checksum(packed(0)) if checksum is None else checksum)


def pseudo_header(source, destination, protocol, length):
    """What the checksums of TCP and UDP cover beside themselves and their data."""
    return ip(source) + ip(destination) + struct.pack("!BBH", 0, protocol, length)


def tcp(source_port, destination_port, flags=0x02, between=None, data=b"", checksum=0x1111):
    """With `between` (both addresses) its checksum is right for `data`. The flags: 1 FIN, 2 SYN, 4 RST, 16 ACK."""
    def packed(checksum):
        return struct.pack("!HHIIBBHHH", source_port, destination_port, 1000, 0, 5 << 4, flags, 8192, checksum, 0)

    if between:
        checksum = internet_checksum(pseudo_header(*between, TCP, 20 + len(data)) + packed(0) + data)
    return packed(checksum)


def udp(source_port, destination_port, length=0, between=None, data=b"", checksum=0):
    """With `between` (both addresses) its checksum is right for `data`; else it has none."""
    length = len(data) or length

    def packed(checksum):
        return struct.pack("!HHHH", source_port, destination_port, 8 + length, checksum)

    if between:
        # RFC 768: a checksum of 0 is sent as all ones.
        right = internet_checksum(pseudo_header(*between, UDP, 8 + length) + packed(0) + data)
        checksum = right or 0xFFFF
    return packed(checksum)


def icmp(kind, code, rest, data=b"", checksum=None):
    """An ICMP message (RFC 792) with its last four header bytes, `rest`, and a right checksum."""
    right = internet_checksum(struct.pack("!BBH", kind, code, 0) + rest + data)
    return struct.pack("!BBH", kind, code, right if checksum is None else checksum) + rest + data


def ip6(text):
    return ipaddress.IPv6Address(text).packed


def ipv6(source, destination, length, next_header=UDP, hop_limit=64, version=6):
    """A header with `length` bytes behind it (RFC 8200, section 3)."""
    first = version << 28 | 0x0AB_CDEF0
    return struct.pack("!IHBB", first, length, next_header, hop_limit) + ip6(source) + ip6(destination)


def icmpv6(source, destination, kind, code, body, checksum=None):
    """An ICMPv6 message (RFC 4443, section 2.1) with what is behind its checksum, and a right checksum."""
    pseudo = ip6(source) + ip6(destination) + struct.pack("!II", 4 + len(body), ICMPV6)
    right = internet_checksum(pseudo + struct.pack("!BBH", kind, code, 0) + body)
    return struct.pack("!BBH", kind, code, right if checksum is None else checksum) + body


def five_tuple(source, destination, protocol, source_port=0, destination_port=0):
    """What a flow is hashed by."""
    return ip(source) + ip(destination) + struct.pack("!BHH", protocol, source_port, destination_port)


class Meter:
    """RFC 2698, section 3; rates in units per microsecond, bursts in units."""

    GREEN, YELLOW, RED = range(3)

    def __init__(self, committed, committed_burst, peak, peak_burst):
        self.rates = (Fraction(committed), Fraction(peak))
        self.bursts = (committed_burst, peak_burst)
        self.tokens = [Fraction(burst) for burst in self.bursts]
        self.updated = 0

    def mark(self, now, length, before=GREEN):
        """The color of a packet that comes at `now` with a color; color-blind with green."""
        for bucket in (0, 1):
            filled = self.tokens[bucket] + self.rates[bucket] * (now - self.updated)
            self.tokens[bucket] = min(filled, Fraction(self.bursts[bucket]))
        self.updated = now
        if before == self.RED or self.tokens[1] < length:
            return self.RED
        self.tokens[1] -= length
        if before == self.YELLOW or self.tokens[0] < length:
            return self.YELLOW
        self.tokens[0] -= length
        return self.GREEN

    def command(self, name, index):
        rates = [f"{float(rate):g}:{burst}" for rate, burst in zip(self.rates, self.bursts)]
        return f"meter_set_rates {name} {index} {rates[0]} {rates[1]}"
