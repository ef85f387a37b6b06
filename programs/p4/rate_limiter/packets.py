"""What goes through the rate limiter, and what must come out."""

from reference import Test
from wire import ARP, Meter, ethernet, ipv4, udp

FIRST, SECOND, CORE = 1, 2, 9
HOST, GATEWAY = "02:00:00:00:00:aa", "02:00:00:00:00:01"
GREEN, YELLOW, RED = Meter.GREEN, Meter.YELLOW, Meter.RED
AF11, AF12, AF13 = 10, 12, 14
MALFORMED, NOT_IPV4, CHECKSUM, STRANGER, NO_WIRE = range(5)


def packet(source="10.0.0.5", length=64, code_point=0, ecn=0, **ip):
    """A frame of so many bytes."""
    data = bytes(length - 14 - 20 - 8)
    return [
        ethernet(GATEWAY, HOST),
        ipv4(source, "198.51.100.7", 8 + len(data), service=code_point << 2 | ecn, **ip),
        udp(4000, 4001, len(data)), data,
    ]


SETUP = [
    f"add wires ingress_port:{FIRST} forward(port:{CORE})",
    f"add wires ingress_port:{SECOND} forward(port:{CORE})",
    f"add wires ingress_port:{CORE} forward(port:{FIRST})",
    f"add customers ingress_port:{FIRST} ipv4.source:10.0.0.0/24 limit(customer:1)",
    f"add customers ingress_port:{FIRST} ipv4.source:10.0.0.128/25 limit(customer:2)",
    f"add customers ingress_port:{FIRST} ipv4.source:10.0.0.66/32 stranger()",
    f"add customers ingress_port:{SECOND} ipv4.source:10.0.0.0/24 limit(customer:1023)",
    f"add customers ingress_port:{CORE} ipv4.source:0.0.0.0/0 trust()",
]


def colors():
    test = Test("The rate limiter: packets that come too fast turn yellow and red, and green again after a while.\n"
                "A packet comes every microsecond; rates are in bytes per microsecond.")
    test.say(*SETUP)
    meters = {1: Meter(16, 128, 32, 192), 2: Meter("0.5", 64, 1, 64)}
    test.say(*(meter.command("rates", index) for index, meter in meters.items()))
    traffic = {}

    def sent(customer, port=FIRST, length=64, ecn=0, code_point=0):
        source = {1: "10.0.0.5", 2: "10.0.0.200", 1023: "10.0.0.5"}[customer]
        time = test.packet(port, *packet(source, length, code_point=code_point, ecn=ecn))
        color = meters[customer].mark(time, length) if customer in meters else GREEN
        traffic[customer * 4 + color] = traffic.get(customer * 4 + color, 0) + 1
        if color != RED:
            test.expect(CORE, *packet(source, length, code_point=(AF11, AF12)[color], ecn=ecn))
        return color

    def idle(microseconds):
        """Time goes by with packets from the core, which nobody measures."""
        for _ in range(microseconds):
            test.through(CORE, FIRST, *packet("198.51.100.7"))

    test.note("Customer 1, 64 bytes every microsecond: full buckets last for two green packets. The committed bucket\n"
              "gets 16 bytes each time and the peak bucket 32, so that yellow and red ones follow.")
    seen = [sent(1) for _ in range(16)]
    assert seen[:2] == [GREEN, GREEN] and {GREEN, YELLOW, RED} == set(seen[2:]), seen
    test.note("After 8 microseconds of silence both buckets are full again.")
    idle(8)
    assert [sent(1) for _ in range(2)] == [GREEN, GREEN]
    test.note("A packet that is larger than the peak bucket is always red, and takes nothing; smaller ones still pass.")
    idle(8)
    assert [sent(1, length=193), sent(1, length=160), sent(1, length=42)] == [RED, YELLOW, GREEN]
    test.note("Exactly as many bytes as there are in the bucket.")
    idle(8)
    assert sent(1, length=128) == GREEN
    test.note("Whatever marks it bore, it bears the meter's now; ECN is nobody's here.")
    idle(8)
    sent(1, code_point=46, ecn=2)
    sent(1, code_point=46, ecn=3)

    test.note("Customer 2, behind the same port, has a meter of its own, with a rate of half a byte.")
    assert [sent(2) for _ in range(3)] == [GREEN, RED, RED]
    test.note("One packet each: they do not take from each other.")
    assert [sent(customer) for customer in (1, 2, 1, 2)][1::2] == [RED, RED]
    test.note("The same address on another port is another customer, whose meter is not set up: all is green.")
    assert [sent(1023, SECOND) for _ in range(6)] == [GREEN] * 6
    test.note("64 bytes at half a byte are 128 microseconds; the peak bucket needs only 64. Yellow, then.")
    idle(60)
    assert sent(2) == YELLOW
    test.say("no_packet")
    test.counts("traffic", **{f"_{index}": count for index, count in sorted(traffic.items())})
    return test


def treatments():
    test = Test("The rate limiter: what a color means can be changed; and what is dropped for other reasons.")
    test.say(*SETUP, "meter_set_rates rates 1 0:64 0:128")
    test.note("Rates of 0: one green packet, one yellow one, and nothing but red after that.")
    test.packet(FIRST, *packet())
    test.expect(CORE, *packet(code_point=AF11))
    test.packet(FIRST, *packet())
    test.expect(CORE, *packet(code_point=AF12))
    test.packet(FIRST, *packet())
    test.note("Red packets are marked as well (AF13).")
    test.say(f"table_modify treatments mark 2 => {AF13}")
    test.packet(FIRST, *packet())
    test.expect(CORE, *packet(code_point=AF13))
    test.note("They pass as they are.")
    test.say("table_modify treatments pass 2")
    test.through(FIRST, CORE, *packet(code_point=46))
    test.note("Without entries, all colors are dropped.")
    test.say("table_clear treatments")
    test.packet(FIRST, *packet())
    test.note("From the core to a customer: not measured.")
    test.through(CORE, FIRST, *packet("203.0.113.5", code_point=46))

    test.note("Dropped: strangers, by address, by exception, and on the wrong port.")
    test.packet(FIRST, *packet("192.0.2.1"))
    test.packet(FIRST, *packet("10.0.0.66"))
    test.packet(SECOND, *packet("10.0.1.5"))
    test.note("Dropped: a port without a wire; ARP; a wrong checksum.")
    test.packet(7, *packet())
    test.packet(FIRST, ethernet(GATEWAY, HOST, ARP), bytes(28))
    test.packet(FIRST, *packet(checksum=0))
    test.note("Dropped: cut short, options, another version.")
    test.packet(FIRST, ethernet(GATEWAY, HOST)[:13])
    test.packet(FIRST, ethernet(GATEWAY, HOST))
    test.packet(FIRST, ethernet(GATEWAY, HOST), packet()[1][:19])
    test.packet(FIRST, *packet(options=bytes(4)))
    test.packet(FIRST, *packet(version=6))
    test.say("no_packet")
    test.counts("dropped", **{
        f"_{MALFORMED}": 5, f"_{NOT_IPV4}": 1, f"_{CHECKSUM}": 1, f"_{STRANGER}": 3, f"_{NO_WIRE}": 1,
    })
    test.counts("traffic", _4=1, _5=1, _6=4)
    test.say("check_counter traffic(6) bytes == 256")
    return test


def tests():
    return {"colors": colors(), "treatments": treatments()}
