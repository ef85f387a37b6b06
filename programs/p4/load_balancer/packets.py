"""What goes through the load balancer, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, ethernet, ip, ipv4, tcp, udp

# Ports: to clients and to servers. Each has this switch's address and its neighbour's.
OUTSIDE, INSIDE = 1, 2
MACS = {port: (f"02:00:00:00:00:0{port}", f"02:00:00:00:01:0{port}") for port in (OUTSIDE, INSIDE)}
SERVICE = "192.0.2.80"
SERVERS = ["10.0.0.11", "10.0.0.12", "10.0.0.13"]
CLIENTS = [f"198.51.100.{number}" for number in range(1, 9)]
SYN, ACK = 2, 16
DATA = b"polyplane"
MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE = range(5)


def chosen(client, port, servers=SERVERS):
    """The server of a connection: a hash of what only the client says, over the group's members in their order."""
    return servers[crc16(ip(client) + struct.pack("!H", port)) % len(servers)]


def packet(source, destination, protocol, source_port, destination_port, data=DATA, **other):
    """IPv4 and what is behind it, with right checksums, or with a transport checksum of 0 if `unsummed`."""
    between = None if other.pop("unsummed", False) else (source, destination)
    if protocol == TCP:
        transport = tcp(source_port, destination_port, ACK, between, data)
    else:
        transport = udp(source_port, destination_port, len(data), between, data)
    return [ipv4(source, destination, len(transport) + len(data), protocol, **other), transport, data]


def arriving(port):
    ours, theirs = MACS[port]
    return ethernet(ours, theirs)


def leaving(port):
    ours, theirs = MACS[port]
    return ethernet(theirs, ours)


class Balancer(Test):
    """A test with servers, services and routes."""

    def __init__(self, title):
        super().__init__(title)
        self.dropped = [0] * 5
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

    def to_client(self, server, client, port, protocol=TCP, service_port=80, speaks_as=SERVICE, **other):
        self.packet(INSIDE, arriving(INSIDE), *packet(server, client, protocol, service_port, port, **other))
        self.expect(
            OUTSIDE, leaving(OUTSIDE), *packet(speaks_as, client, protocol, service_port, port, ttl=63, **other))

    def drop(self, reason, port, *headers):
        self.packet(port, *headers)
        self.dropped[reason] += 1

    def finish(self):
        self.say("no_packet")
        self.counts("dropped", **{f"_{reason}": count for reason, count in enumerate(self.dropped)})
        return self


def balancing():
    test = Balancer("The load balancer: connections spread over servers, both directions, and what is dropped.")
    test.note("Each connection gets one server, for all of its packets; answers come from the service's address.\n"
              "The checksums of TCP are right before and after.")
    seen = set()
    answers = [0, 0, 0]
    for number, client in enumerate(CLIENTS):
        port = 40000 + 77 * number
        server = chosen(client, port)
        seen.add(server)
        test.to_server(server, client, port)
        test.to_client(server, client, port)
        test.to_server(server, client, port, data=b"again")
        answers[SERVERS.index(server)] += 1
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
    test.drop(NO_ROUTE, INSIDE, arriving(INSIDE), *packet(SERVERS[0], "203.0.113.9", TCP, 80, 40000))

    test.note("Cut short: in Ethernet, IPv4, TCP and UDP. Options; another version.")
    test.drop(MALFORMED, OUTSIDE, outside[:13])
    test.drop(MALFORMED, OUTSIDE, outside)
    test.drop(MALFORMED, OUTSIDE, outside, good[0][:19])
    test.drop(MALFORMED, OUTSIDE, outside, good[0], good[1][:19])
    test.drop(MALFORMED, OUTSIDE, outside, ipv4(client, SERVICE, 7, UDP), bytes(7))
    test.drop(MALFORMED, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, options=bytes(4)))
    test.drop(MALFORMED, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, version=6))
    test.note("ARP; a wrong checksum of IPv4; no time left to live.")
    test.drop(NOT_IPV4, OUTSIDE, ethernet(*MACS[OUTSIDE], ARP), bytes(28))
    test.drop(CHECKSUM, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, checksum=0))
    for ttl in (0, 1):
        test.drop(TIME_TO_LIVE, OUTSIDE, outside, *packet(client, SERVICE, TCP, 40000, 80, ttl=ttl))
    test.finish()
    # One more to the first server's web port, which found no route.
    answers[0] += 1
    test.counts("returned", **{f"web{number}": count for number, count in enumerate(answers)})
    return test


def members():
    test = Balancer("The load balancer while servers come and go.")

    def all_connections(servers):
        """A packet of each connection; `servers` are the group's members in their order."""
        for number, client in enumerate(CLIENTS):
            port = 40000 + 77 * number
            test.to_server(chosen(client, port, servers), client, port)

    all_connections(SERVERS)
    test.note("Server 1 leaves its group: its connections go elsewhere, and so do some others.")
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
    return test.finish()


def tests():
    return {"balancing": balancing(), "members": members()}
