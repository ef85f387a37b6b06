"""What goes through the router with recursive next hops, and what must come out."""

import ipaddress

from reference import Test
from wire import ARP, ethernet, ipv4, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
DATA = b"polyplane"
FORWARDED, RESUBMITTED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE, UNRESOLVED = range(7)

# Prefixes with neighbours (port and addresses), and with gateways (address and number of the route).
NEIGHBOURS = {
    "10.0.1.0/24": (2, "02:00:00:00:00:02", "02:00:00:00:01:02"),
    "10.0.2.0/24": (3, "02:00:00:00:00:03", "02:00:00:00:01:03"),
    "10.0.2.9/32": (4, "02:00:00:00:00:04", "02:00:00:00:01:04"),
}
GATEWAYS = {
    "198.51.100.0/24": ("10.0.1.1", 7),
    "203.0.113.0/24": ("10.0.2.9", 8),
    "203.0.113.128/25": ("10.0.2.1", 1023),
    "192.0.2.0/25": ("198.51.100.1", 9),
    "192.0.2.128/25": ("172.16.0.1", 10),
}


def longest(address, routes):
    found = [prefix for prefix in routes if ipaddress.ip_address(address) in ipaddress.ip_network(prefix)]
    return max(found, key=lambda prefix: int(prefix.split("/")[1]), default=None)


class Router(Test):
    """A test with routes, which finds the way of each packet by itself."""

    def __init__(self, title):
        super().__init__(title)
        self.fates = [0] * 7
        self.resolved = {}
        for prefix, (port, source, destination) in NEIGHBOURS.items():
            self.say(f"add routes looked_up:{prefix} neighbour(port:{port}, source:{source}, destination:{destination})")
        for prefix, (gateway, route) in GATEWAYS.items():
            self.say(f"add routes looked_up:{prefix} via(gateway:{gateway}, route:{route})")

    def send(self, destination, ttl=64, port=1, **ip):
        behind = [udp(4000, 4001, len(DATA)), DATA]
        arriving = ipv4("192.0.2.10", destination, 8 + len(DATA), ttl=ttl, **ip)
        self.packet(port, ethernet(ROUTER, HOST), arriving, *behind)
        prefix = longest(destination, [*NEIGHBOURS, *GATEWAYS])
        if "checksum" in ip:
            fate = CHECKSUM
        elif ttl <= 1:
            fate = TIME_TO_LIVE
        elif prefix in GATEWAYS:
            self.fates[RESUBMITTED] += 1
            gateway, route = GATEWAYS[prefix]
            prefix = longest(gateway, [*NEIGHBOURS, *GATEWAYS])
            fate = UNRESOLVED if prefix in GATEWAYS else FORWARDED if prefix else NO_ROUTE
            if fate == FORWARDED:
                self.resolved[route] = self.resolved.get(route, 0) + 1
        else:
            fate = FORWARDED if prefix else NO_ROUTE
        self.fates[fate] += 1
        if fate == FORWARDED:
            out, source, neighbour = NEIGHBOURS[prefix]
            leaving = ipv4("192.0.2.10", destination, 8 + len(DATA), ttl=ttl - 1, **ip)
            self.expect(out, ethernet(neighbour, source), leaving, *behind)


def two_pass():
    test = Router("Routes to gateways take a second pass, with the gateway's address; others take one.")
    test.note("Neighbours: one pass.")
    for destination in ("10.0.1.77", "10.0.2.77", "10.0.2.9"):
        test.send(destination)
    test.note("Gateways: the packet begins again, and leaves as it arrived but for the time to live and both addresses.")
    for destination in ("198.51.100.7", "203.0.113.7", "203.0.113.200", "198.51.100.8"):
        test.send(destination, service=46 << 2)
    test.note("From another port, with the last time to live that is forwarded.")
    test.send("203.0.113.7", ttl=2, port=70 - 64)
    test.note("Dropped: a gateway behind a gateway, and one that nobody leads to.")
    test.send("192.0.2.7")
    test.send("192.0.2.200")
    test.note("Dropped in the first pass: no route, a time to live of 1 and of 0, a wrong checksum, no IPv4.")
    test.send("172.16.9.9")
    test.send("203.0.113.7", ttl=1)
    test.send("203.0.113.7", ttl=0)
    test.send("203.0.113.7", checksum=0x1234)
    test.packet(1, ethernet(ROUTER, HOST, ARP), bytes(28))
    test.fates[NOT_IPV4] += 1
    test.note("Cut short: the parser fails, and the chip drops it.")
    test.packet(1, ethernet(ROUTER, HOST), ipv4("192.0.2.10", "203.0.113.7")[:19])
    test.say("no_packet")
    test.counts("packets", **{f"_{fate}": count for fate, count in enumerate(test.fates)})
    test.counts("resolved", **{f"_{route}": count for route, count in sorted(test.resolved.items())})
    return test


def tests():
    return {"two_pass": two_pass()}
