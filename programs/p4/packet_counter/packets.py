"""What goes through the packet counter, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, ethernet, ipv4, tcp, udp

COUNTS = 0x88B5
HERE, THERE, NOWHERE = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99"
SWITCH = "02:00:00:00:00:fe"
PORTS = {HERE: 1, THERE: 2}
FORWARDED, ANSWERED, MALFORMED, UNKNOWN_STATION = range(4)
OTHERS, CONTROL, DATABASE, DATAGRAMS, RESOLUTION, LAST = 0, 1, 2, 3, 4, 255
# RFC 791 knows no protocol 143; whoever sends it is in the last class.
UNASSIGNED = 143


class Counter:
    """A test that keeps the counts of every class beside the switch."""

    def __init__(self, title):
        self.test = Test(title)
        self.packets = [0] * 256
        self.bytes = [0] * 256
        self.verdicts = [0] * 4
        self.test.say(*(f"add stations ethernet.destination:{mac} forward(port:{port})" for mac, port in PORTS.items()))

    def sent(self, number, *headers, destination=THERE):
        """A frame of a class, as its bytes behind Ethernet and its type before them."""
        frame = [ethernet(destination, HERE, headers[0]), *headers[1:]]
        self.test.packet(PORTS[HERE], *frame)
        self.packets[number] += 1
        self.bytes[number] += sum(map(len, frame))
        if destination in PORTS:
            self.test.expect(PORTS[destination], *frame)
            self.verdicts[FORWARDED] += 1
        else:
            self.verdicts[UNKNOWN_STATION] += 1

    def asked(self, number, asker=HERE, reserved=0):
        """What a class has had; whatever stood in the question is written over, but for the reserved bits."""
        head = [asker, SWITCH]
        self.test.packet(PORTS[asker], ethernet(*head[::-1], COUNTS), counts(0, number, 7, 7, reserved), b"tail")
        answer = counts(1, number, self.packets[number], self.bytes[number], reserved)
        self.test.expect(PORTS[asker], ethernet(*head, COUNTS), answer, b"tail")
        self.verdicts[ANSWERED] += 1

    def malformed(self, *headers):
        self.test.packet(PORTS[HERE], *headers)
        self.verdicts[MALFORMED] += 1

    def end(self):
        self.test.say("no_packet")
        self.test.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.verdicts)})
        return self.test


def counts(is_answer, number, packets=0, octets=0, reserved=0):
    return struct.pack("!BBII", is_answer << 7 | reserved, number, packets % (1 << 32), octets % (1 << 32))


def datagram(source, destination, protocol, payload):
    return 0x0800, ipv4(source, destination, len(payload), protocol), payload


def counting():
    counter = Counter("The packet counter: classes, forwarding, and what questions are answered.")
    test, sent, asked = counter.test, counter.sent, counter.asked
    test.say(
        f"add classes 10 meta.protocol:{ICMP} set_class(class:{CONTROL})",
        f"add classes 20 meta.destination:10.0.5.0/24 meta.protocol:{TCP} set_class(class:{DATABASE})",
        f"add classes 10 meta.source:10.0.0.0/8 meta.protocol:{UDP} set_class(class:{DATAGRAMS})",
        f"add classes 10 ethernet.ether_type:{ARP} set_class(class:{RESOLUTION})",
        f"add classes 30 meta.protocol:{UNASSIGNED} set_class(class:{LAST})",
    )
    test.note("Registers begin with 0.")
    asked(DATABASE)
    test.note("A class by protocol, by destination and protocol, by source and protocol, by type; the last class.")
    sent(CONTROL, *datagram("10.0.0.1", "10.0.5.2", ICMP, b"echo"))
    sent(DATABASE, *datagram("10.0.0.1", "10.0.5.2", TCP, tcp(5000, 3306)))
    sent(DATAGRAMS, *datagram("10.9.9.9", "10.0.5.2", UDP, udp(5000, 53)))
    sent(RESOLUTION, ARP, bytes(28))
    sent(LAST, *datagram("10.0.0.1", "10.0.5.2", UNASSIGNED, b""))
    test.note("What no entry knows is class 0: TCP to elsewhere, UDP from elsewhere, another type, no payload at all.")
    sent(OTHERS, *datagram("10.0.0.1", "10.0.6.2", TCP, tcp(5000, 3306)))
    sent(OTHERS, *datagram("11.9.9.9", "10.0.5.2", UDP, udp(5000, 53)))
    sent(OTHERS, 0x86DD, bytes(40))
    sent(OTHERS, 0x88B6)
    test.note("A packet for a station that nobody knows is counted, and dropped.")
    sent(DATABASE, *datagram("10.0.0.1", "10.0.5.9", TCP, tcp(5000, 3306)), destination=NOWHERE)
    test.note("Lengths are those of whole frames.")
    sent(DATABASE, *datagram("10.0.0.1", "10.0.5.2", TCP, tcp(5000, 3306) + bytes(1000)))
    for number in (OTHERS, CONTROL, DATABASE, DATAGRAMS, RESOLUTION, LAST):
        asked(number)
    test.note("Asking counts nothing, whoever asks; a class that had no packet.")
    asked(DATABASE, asker=THERE)
    asked(DATABASE, reserved=0x55)
    asked(200)
    test.note("An answer is forwarded and counted like any other packet.")
    sent(OTHERS, COUNTS, counts(1, DATABASE, 5, 500))
    asked(OTHERS)

    test.note("Cut short: in Ethernet, in IPv4, in a question. None of them is counted.")
    link = ethernet(THERE, HERE)
    counter.malformed(link[:13])
    counter.malformed(link)
    counter.malformed(link, ipv4("10.0.0.1", "10.0.5.2")[:19])
    counter.malformed(ethernet(THERE, HERE, COUNTS), counts(0, DATABASE)[:9])
    asked(DATABASE)
    asked(OTHERS)
    return counter.end()


def changing():
    counter = Counter("The packet counter: entries come and go while packets flow, and counts wrap.")
    test, sent, asked = counter.test, counter.sent, counter.asked
    test.note("Of two entries that match, the one with the larger priority says which class it is.")
    test.say("add classes 10 meta.source:10.0.0.0/8 set_class(class:1) = wide")
    sent(1, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    test.say("add classes 20 meta.source:10.1.0.0/16 set_class(class:2) = narrow")
    sent(2, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    sent(1, *datagram("10.2.2.3", "10.0.5.2", ICMP, b""))
    test.say("remove narrow")
    sent(1, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    test.say("setdefault classes set_class(class:9)")
    sent(9, *datagram("11.1.2.3", "10.0.5.2", ICMP, b""))
    test.note("What was counted stays where it is.")
    for number in (1, 2, 9, 0):
        asked(number)
    test.note("Just before they wrap: bytes do with the first packet, packets with the second.")
    test.say(f"register_write packets 1 {(1 << 32) - 2}", f"register_write bytes 1 {(1 << 32) - 1}")
    counter.packets[1], counter.bytes[1] = (1 << 32) - 2, (1 << 32) - 1
    asked(1)
    sent(1, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    asked(1)
    sent(1, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    asked(1)
    test.note("Cleared: from 0 again, in one register and not in the other.")
    test.say("register_reset packets")
    counter.packets = [0] * 256
    asked(1)
    sent(1, *datagram("10.1.2.3", "10.0.5.2", ICMP, b""))
    asked(1)
    return counter.end()


def tests():
    return {"counting": counting(), "changing": changing()}
