"""What goes through the load balancer for TNA, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, ethernet, ip, ipv4, tcp, udp

# Ports: to clients and to servers. Each has this switch's address and its neighbour's.
OUTSIDE, INSIDE = 1, 2
MACS = {port: (f"02:00:00:00:00:0{port}", f"02:00:00:00:01:0{port}") for port in (OUTSIDE, INSIDE)}
SERVICE = "192.0.2.80"
SERVERS = ["10.0.0.11", "10.0.0.12", "10.0.0.13"]
CLIENTS = [f"198.51.100.{number}" for number in range(1, 9)]
ACK = 16
DATA = b"polyplane"
TO_SERVER, TO_CLIENT, OTHER, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE = range(7)


def chosen(client, port, servers=SERVERS):
    """The server of a connection: a hash of what only the client says, over the group's members in their order."""
    return servers[crc16(ip(client) + struct.pack("!H", port)) % len(servers)]


def packet(source, destination, protocol, source_port, destination_port, data=DATA, unsummed=False, **other):
    """IPv4 and what is behind it, with right checksums; without a transport checksum if `unsummed`."""
    between = None if unsummed else (source, destination)
    if protocol == TCP:
        transport = tcp(source_port, destination_port, ACK, between, data)
    else:
        transport = udp(source_port, destination_port, len(data), between, data)
    return [ipv4(source, destination, len(transport) + len(data), protocol, **other), transport, data]


def arriving(port):
    return ethernet(*MACS[port])


def leaving(port):
    ours, theirs = MACS[port]
    return ethernet(theirs, ours)


class Balancer(Test):
    """A test with servers, services and routes."""

    def __init__(self, title):
        super().__init__(title)
        self.fates = [0] * 7
        self.returned = {}
        forward = "forward(port:{0}, source:{1}, destination:{2})"
        self.say(
            f"add routes ipv4.destination:198.51.100.0/24 {forward.format(OUTSIDE, *MACS[OUTSIDE])}",
            f"add routes ipv4.destination:10.0.0.0/24 {forward.format(INSIDE, *MACS[INSIDE])}",
        )
        self.note("Three servers, members 0 to 2, are group 0, which serves port 80 of TCP and port 53 of UDP.")
        self.say(
            *(f"act_prof_create_member servers to_server {server}" for server in SERVERS),
            "act_prof_create_group servers",
            *(f"act_prof_add_member_to_group servers {member} 0" for member in range(3)),
            f"table_indirect_add_with_group services {SERVICE} {TCP} 80 => 0",
            f"table_indirect_add_with_group services {SERVICE} {UDP} 53 => 0",
            *(
                f"add answers ipv4.source:{server} ipv4.protocol:{protocol} meta.source_port:{port} "
                f"from_service(service:{SERVICE}) = {name}{number}"
                for number, server in enumerate(SERVERS)
                for protocol, port, name in ((TCP, 80, "web"), (UDP, 53, "dns"))
            ),
        )

    def to_server(self, server, client, port, protocol=TCP, service_port=80, **other):
        self.packet(OUTSIDE, arriving(OUTSIDE), *packet(client, SERVICE, protocol, port, service_port, **other))
        self.expect(INSIDE, leaving(INSIDE), *packet(client, server, protocol, port, service_port, ttl=63, **other))
        self.fates[TO_SERVER] += 1

    def to_client(self, server, client, port, protocol=TCP, service_port=80, speaks_as=SERVICE, **other):
        self.packet(INSIDE, arriving(INSIDE), *packet(server, client, protocol, service_port, port, **other))
        self.expect(
            OUTSIDE, leaving(OUTSIDE), *packet(speaks_as, client, protocol, service_port, port, ttl=63, **other))
        self.fates[TO_CLIENT if speaks_as == SERVICE else OTHER] += 1
        if speaks_as == SERVICE:
            name = ("web" if protocol == TCP else "dns") + str(SERVERS.index(server))
            self.returned[name] = self.returned.get(name, 0) + 1

    def drop(self, fate, port, *headers):
        """It does not leave. Without a fate, it ends in the parser."""
        self.packet(port, *headers)
        if fate is not None:
            self.fates[fate] += 1

    def finish(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{fate}": count for fate, count in enumerate(self.fates)})
        self.counts("returned", **dict(sorted(self.returned.items())))
        return self


def balancing():
    test = Balancer("The load balancer: connections spread over servers, both directions, and what is dropped.")
    test.note("Each connection gets one server, for all of its packets; answers come from the service's address.\n"
              "The checksums of TCP are right before and after, for payloads of even and of odd length.")
    seen = set()
    for number, client in enumerate(CLIENTS):
        port = 40000 + 77 * number
        server = chosen(client, port)
        seen.add(server)
        test.to_server(server, client, port)
        test.to_client(server, client, port)
        test.to_server(server, client, port, data=b"once more")
        test.to_server(server, client, port, data=bytes(range(number)))
    assert seen == set(SERVERS)
    test.note("UDP: with a checksum, and without one, which stays away.")
    client = CLIENTS[0]
    for options in ({}, {"unsummed": True}):
        server = chosen(client, 5353)
        test.to_server(server, client, 5353, UDP, 53, **options)
        test.to_client(server, client, 5353, UDP, 53, **options)
    test.note("A UDP checksum that comes out as 0 is sent as 0xffff.")
    port, data = next(
        (port, data) for port in range(2000, 2100)
        for data in (number.to_bytes(2, "big") for number in range(1 << 16))
        if udp(port, 53, 2, (client, chosen(client, port)), data)[6:8] == b"\xff\xff"
    )
    test.to_server(chosen(client, port), client, port, UDP, 53, data=data)
    test.note("A packet that came damaged is not made good: the wrong checksum is wrong by the same.")
    port = 40000
    good = packet(client, SERVICE, TCP, port, 80)
    good_after = packet(client, chosen(client, port), TCP, port, 80, ttl=63)
    damaged = b"Polyplane"
    test.packet(OUTSIDE, arriving(OUTSIDE), *good[:2], damaged)
    test.expect(INSIDE, leaving(INSIDE), *good_after[:2], damaged)
    test.fates[TO_SERVER] += 1
    test.note("Of the service's address nothing else is served: other ports, other protocols, fragments.")
    outside = arriving(OUTSIDE)
    test.drop(NO_ROUTE, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 81))
    test.drop(NO_ROUTE, OUTSIDE, outside, *packet(client, SERVICE, UDP, 40000, 80))
    test.drop(NO_ROUTE, OUTSIDE, outside, ipv4(client, SERVICE, 8, ICMP), bytes(8))
    test.drop(NO_ROUTE, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, flags=1))
    test.drop(NO_ROUTE, OUTSIDE, outside, ipv4(client, SERVICE, 9, TCP, flags=0, offset=4), DATA)
    test.note("What is no service is only forwarded: between a server's other ports, and clients.")
    test.to_client(SERVERS[0], client, 40000, TCP, 22, speaks_as=SERVERS[0])
    test.packet(OUTSIDE, outside, *packet(client, SERVERS[0], TCP, 40000, 22))
    test.expect(INSIDE, leaving(INSIDE), *packet(client, SERVERS[0], TCP, 40000, 22, ttl=63))
    test.fates[OTHER] += 1
    test.note("An answer whose client nobody leads to.")
    test.drop(NO_ROUTE, INSIDE, arriving(INSIDE), *packet(SERVERS[0], "203.0.113.9", TCP, 80, 40000))
    test.returned["web0"] += 1
    test.note("Cut short, in Ethernet, IPv4, TCP and UDP; options; another version. The chip drops what the parser rejects.")
    test.drop(None, OUTSIDE, outside[:13])
    test.drop(None, OUTSIDE, outside)
    test.drop(None, OUTSIDE, outside, good[0][:19])
    test.drop(None, OUTSIDE, outside, good[0], good[1][:19])
    test.drop(None, OUTSIDE, outside, ipv4(client, SERVICE, 7, UDP), bytes(7))
    test.drop(None, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, options=bytes(4)))
    test.drop(None, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, version=6))
    test.note("ARP; a wrong checksum of IPv4; no time left to live.")
    test.drop(NOT_IPV4, OUTSIDE, ethernet(*MACS[OUTSIDE], ARP), bytes(28))
    test.drop(CHECKSUM, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, checksum=0))
    for ttl in (0, 1):
        test.drop(TIME_TO_LIVE, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, ttl=ttl))
    return test.finish()


def members():
    test = Balancer("The load balancer while servers come and go.")

    def all_connections(servers):
        """A packet of each connection; `servers` are the group's members in their order."""
        for number, client in enumerate(CLIENTS):
            port = 40000 + 77 * number
            test.to_server(chosen(client, port, servers), client, port)

    all_connections(SERVERS)
    test.note("Server 1 leaves its group: its connections go elsewhere, and so do some others (SelectorMode_t.FAIR).")
    test.say("act_prof_remove_member_from_group servers 1 0")
    all_connections([SERVERS[0], SERVERS[2]])
    test.note("It comes back: the order of members is that of their numbers, so all is as before.")
    test.say("act_prof_add_member_to_group servers 1 0")
    all_connections(SERVERS)
    test.note("A server is replaced in place: nobody else notices.")
    test.say("act_prof_modify_member servers to_server 1 => 10.0.0.14")
    all_connections([SERVERS[0], "10.0.0.14", SERVERS[2]])
    test.note("A service of one server needs no group.")
    test.say(f"table_indirect_add services {SERVICE} {TCP} 443 => 2")
    for client in CLIENTS[:3]:
        test.to_server(SERVERS[2], client, 1000, service_port=443)
    test.note("An address that is no service any more.")
    test.say("table_indirect_delete services 0")
    test.drop(NO_ROUTE, OUTSIDE, arriving(OUTSIDE), *packet(CLIENTS[0], SERVICE, TCP, 40000, 80))
    test.to_client(SERVERS[0], CLIENTS[0], 40000)
    return test.finish()


def tests():
    return {"balancing": balancing(), "members": members()}
