"""What goes through the router with an access list for TNA, and what must come out."""

import ipaddress

from reference import Test
from wire import ARP, ICMP, TCP, UDP, Meter, ethernet, icmp, ipv4, tcp, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
GREEN, YELLOW, RED = Meter.GREEN, Meter.YELLOW, Meter.RED
AF11, AF12 = 10, 12
CPU, SAMPLED_ONE_OF = 64, 4
FORWARDED, MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE, DENIED, POLICED = range(8)
# The length of a frame without data: Ethernet, IPv4, UDP.
HEADERS = 14 + 20 + 8

ROUTES = {"10.1.0.0/16": 1, "10.1.2.0/24": 2, "10.9.0.0/16": 1023, "10.8.0.0/16": 500}
# Next hops, with port and address; nobody described number 500.
NEXT_HOPS = {
    1: (2, "02:00:00:00:02:01"), 2: (3, "02:00:00:00:03:01"), 1023: (3, "02:00:00:00:03:02"),
}
INTERFACES = {2: "02:00:00:00:00:02", 3: "02:00:00:00:00:03"}

# Priority, handle, what is compared (source, destination, protocol, destination ports), and what is done.
ACCESS_LIST = [
    (40, "scan", ("*", "*", TCP, (1, 1023)), ("deny",)),
    (50, "web", ("*", "10.1.0.0/16", TCP, (80, 80)), ("permit",)),
    (30, "bulk", ("192.0.2.0/24", "*", UDP, (4000, 4999)), ("meter", 5)),
    (20, "ping", ("*", "*", ICMP, (0, 65535)), ("meter", 255)),
    (60, "enemy", ("198.51.100.66/32", "*", None, (0, 65535)), ("deny",)),
]


class Router(Test):
    """A test with tables, which finds out by itself what becomes of each packet."""

    def __init__(self, title, class_meters=(), next_hop_meters=()):
        super().__init__(title)
        self.class_meters, self.next_hop_meters = dict(class_meters), dict(next_hop_meters)
        self.packets, self.bytes = [0] * 8, [0] * 8
        self.matched, self.sent, self.since_sample = {}, {}, {}
        for prefix, next_hop in ROUTES.items():
            self.say(f"add routes ipv4.destination:{prefix} to_next_hop(next_hop:{next_hop})")
        for next_hop, (port, address) in NEXT_HOPS.items():
            self.say(f"add next_hops next_hop:{next_hop} forward(port:{port}, destination:{address}) = $hop{next_hop}")
        for port, address in INTERFACES.items():
            self.say(f"add interfaces egress_port:{port} set_source(source:{address}) = $port{port}")
        for priority, name, (source, destination, protocol, ports), action in ACCESS_LIST:
            fields = [f"ipv4.source:{source}", f"ipv4.destination:{destination}"]
            fields += [f"ipv4.protocol:{protocol}"] if protocol else []
            fields += [f"destination_port:{ports[0]}->{ports[1]}"]
            call = f"meter(number:{action[1]})" if action[0] == "meter" else f"{action[0]}()"
            self.say(f"add access_list {priority} {' '.join(fields)} {call} = ${name}")
        self.say(*(meter.command("class_rates", index) for index, meter in self.class_meters.items()))
        places = list(NEXT_HOPS)
        self.say(*(meter.command("next_hop_rates", places.index(hop)) for hop, meter in self.next_hop_meters.items()))

    @staticmethod
    def _rule(source, destination, protocol, port):
        def matches(prefix, address):
            return prefix == "*" or ipaddress.ip_address(address) in ipaddress.ip_network(prefix)

        found = [
            (priority, name, action) for priority, name, (sources, destinations, own, ports), action in ACCESS_LIST
            if matches(sources, source) and matches(destinations, destination)
            and own in (None, protocol) and ports[0] <= port <= ports[1]
        ]
        return max(found, default=(0, None, ("none",)))[1:]

    def send(self, destination, source="192.0.2.10", protocol=UDP, port=9, length=64, ttl=64, service=0, behind=None, **ip):
        """A frame of so many bytes arrives. Returns the color that it gets, or its fate if it does not go on."""
        data = bytes(length - 14 - 20 - (20 if protocol == TCP else 8))
        headers = {TCP: tcp(4000, port), UDP: udp(4000, port, len(data)), ICMP: icmp(8, 0, bytes(4), data)[:8]}
        behind = headers[protocol] + data if behind is None else behind

        def packet(service, ttl):
            return [ipv4(source, destination, len(behind), protocol, service=service, ttl=ttl, **ip), behind]

        arriving = [ethernet(ROUTER, HOST), *packet(service, ttl)]
        time = self.packet(1, *arriving)
        fate, color = self._decide(destination, source, protocol, port, ttl, time, length, ip)
        self.packets[fate] += 1
        self.bytes[fate] += sum(map(len, arriving))
        if fate != FORWARDED:
            return fate
        next_hop, color, is_marked = color
        if is_marked or color == YELLOW:
            service = {GREEN: AF11, YELLOW: AF12}[color] << 2 | service & 3
        out, neighbour = NEXT_HOPS[next_hop]
        leaving = packet(service, ttl - 1)
        self.expect(out, ethernet(neighbour, INTERFACES[out]), *leaving)
        self.sent[out] = self.sent.get(out, 0) + 1
        self.since_sample[next_hop] = self.since_sample.get(next_hop, 0) + 1
        if self.since_sample[next_hop] % SAMPLED_ONE_OF == 0:
            self.expect(CPU, ethernet(neighbour, HOST), *leaving)
        return color

    def _decide(self, destination, source, protocol, port, ttl, time, length, ip):
        if "options" in ip or ip.get("version", 4) != 4:
            return MALFORMED, None
        if "checksum" in ip:
            return CHECKSUM, None
        if ttl <= 1:
            return TIME_TO_LIVE, None
        routes = [prefix for prefix in ROUTES if ipaddress.ip_address(destination) in ipaddress.ip_network(prefix)]
        if not routes:
            return NO_ROUTE, None
        next_hop = ROUTES[max(routes, key=lambda prefix: int(prefix.split("/")[1]))]
        # Fragments but the first have no ports.
        has_ports = protocol in (TCP, UDP) and ip.get("offset", 0) == 0
        name, action = self._rule(source, destination, protocol, port if has_ports else 0)
        if name:
            self.matched[name] = self.matched.get(name, 0) + 1
        color, is_metered = GREEN, action[0] == "meter"
        if is_metered and action[1] in self.class_meters:
            color = self.class_meters[action[1]].mark(time, length)
        if action[0] == "deny":
            return DENIED, None
        if next_hop not in NEXT_HOPS:
            return NO_ROUTE, None
        if next_hop in self.next_hop_meters:
            color = self.next_hop_meters[next_hop].mark(time, 1, color)
        return (POLICED, None) if color == RED else (FORWARDED, (next_hop, color, is_metered))

    def finish(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{fate}": count for fate, count in enumerate(self.packets)})
        for fate, count in enumerate(self.bytes):
            self.say(f"check_counter packets({fate}) bytes == {count}")
        self.counts("matched", **{name: self.matched.get(name, 0) for _, name, _, _ in ACCESS_LIST})
        self.counts("sent", **{f"port{port}": self.sent.get(port, 0) for port in INTERFACES})
        return self


def forwarding():
    test = Router("Where packets go, what is denied, and everything else that is dropped. No meter is set up.")
    test.note("The longest prefix wins. Each fourth packet of a next hop goes to the CPU, too.")
    for number in range(9):
        test.send("10.1.2.7", length=HEADERS + number)
        test.send("10.1.3.7", service=46 << 2 | 1)
    test.note("The access list: the highest priority wins, and packets without a rule pass.")
    test.send("10.1.3.7", protocol=TCP, port=80)
    test.send("10.9.0.7", protocol=TCP, port=80)
    test.send("10.1.3.7", protocol=TCP, port=1023)
    test.send("10.1.3.7", protocol=TCP, port=1024)
    test.send("10.1.3.7", protocol=UDP, port=80)
    test.send("10.1.3.7", source="198.51.100.66", protocol=TCP, port=80)
    test.send("10.1.3.7", source="198.51.100.67", protocol=TCP, port=8080)
    test.note("Later fragments have no ports: what would be one in them is not looked at.")
    test.send("10.1.3.7", protocol=TCP, port=22, offset=100)
    test.note("Classes whose meters are not set up are green.")
    test.send("10.1.3.7", port=4000, service=46 << 2 | 3)
    test.send("10.1.3.7", protocol=ICMP)
    test.note("Dropped: no route, a next hop that nobody described, the time to live, a checksum, no IPv4.")
    test.send("10.2.0.1")
    test.send("10.8.0.1")
    test.send("10.1.2.7", ttl=1)
    test.send("10.1.2.7", ttl=0)
    test.send("10.1.2.7", ttl=2)
    test.send("10.1.2.7", checksum=0x1234)
    frame = [ethernet(ROUTER, HOST, ARP), bytes(28)]
    test.packet(1, *frame)
    test.packets[NOT_IPV4] += 1
    test.bytes[NOT_IPV4] += 42
    test.note("Malformed: options, another version, and cut short in each header.")
    test.send("10.1.2.7", options=bytes(4))
    test.send("10.1.2.7", version=6)
    whole = ethernet(ROUTER, HOST) + ipv4("192.0.2.10", "10.1.2.7", 8) + udp(4000, 9)
    for length in (13, 33, 34 + 3):
        test.packet(1, whole[:length])
        test.packets[MALFORMED] += 1
        test.bytes[MALFORMED] += length
    return test.finish()


def policing():
    test = Router(
        "Meters of classes, in bytes, and of next hops, in packets, one behind the other. A packet comes each microsecond.",
        class_meters={5: Meter(16, 128, 32, 192), 255: Meter("0.25", 64, "0.5", 128)},
        next_hop_meters={2: Meter("0.25", 2, "0.5", 4)},
    )

    def bulk(destination="10.1.3.7", length=64):
        return test.send(destination, port=4321, length=length)

    test.note("A class of 16 bytes a microsecond and a peak of 32: green, yellow and red packets of 64 bytes.")
    seen = [bulk() for _ in range(16)]
    assert seen[:2] == [GREEN, GREEN] and {GREEN, YELLOW, POLICED} == set(seen), seen
    test.note("A packet that is larger than the peak burst is always red, and takes nothing.")
    for _ in range(8):
        test.send("10.9.0.7")
    assert [bulk(length=193), bulk(length=160), bulk(length=42)] == [POLICED, YELLOW, GREEN]
    test.note("A next hop of a packet in four microseconds, and a peak of one in two. Packets of no class are marked if\n"
              "they are yellow, and those of the class keep the worse of both colors.")
    seen = [test.send("10.1.2.7", service=46 << 2 | 1) for _ in range(12)]
    assert seen[:2] == [GREEN, GREEN] and {GREEN, YELLOW, POLICED} == set(seen), seen
    seen = [bulk("10.1.2.7") for _ in range(12)]
    assert {YELLOW, POLICED} <= set(seen), seen
    test.note("What is yellow before the second meter takes no token of its committed bucket.")
    for _ in range(9):
        test.send("10.9.0.7")
    assert [bulk("10.1.3.7"), bulk("10.1.3.7"), bulk("10.1.2.7"), test.send("10.1.2.7")] == [GREEN, GREEN, YELLOW, GREEN]
    test.note("The other class has a meter of its own.")
    assert [test.send("10.1.3.7", protocol=ICMP) for _ in range(3)] == [GREEN, YELLOW, POLICED]
    return test.finish()


def tests():
    return {"forwarding": forwarding(), "policing": policing()}
