"""Packets through SAI P4: what sonic-pins' tests of forwarding demand of a switch, by packets of our own.

The tests of sonic-pins (`tests/forwarding`, with entries by `sai::EntryBuilder`) are programs in C++ for a testbed of two
switches. Their cases are stated here again: forwarding with rewritten addresses and a smaller TTL (smoke_test,
acl_feature_test), packets that an ACL drops, traps or copies to the controller (acl_feature_test), packets of the controller
(packetio), tunnels that end (tunnel_decap_test), multicast (l3_multicast_test), groups of next hops, VLAN checks.
"""

import contextlib
import queue
import socket
import time

import entries
import frames
import session
import text_format
from p4.v1 import p4runtime_pb2

# What follows the packet is written for these targets; the translated types stay, which PLATFORM_BMV2 does away with.
DEFINE = "PLATFORM_P4SYMBOLIC"
CPU_PORT, COPY_SESSION, PACKET_IN_INSTANCE = 510, 255, 1
PORTS = (1, 2, 3)
PATIENCE, SILENCE = 5.0, 0.3

HOST, ROUTER, NEXT = "00:00:22:22:00:00", "00:aa:bb:cc:cc:dd", "02:02:02:02:02:02"
OWN = "06:05:04:03:02:01"

ADMIT = "l3_admit_table_entry { match { } action { admit_to_l3 { } } priority: 1 }"
VRF = """vrf_table_entry { match { vrf_id: "vrf" } action { no_action { } } }
acl_pre_ingress_table_entry { match { is_ip { value: "0x1" } } action { set_vrf { vrf_id: "vrf" } } priority: 1 }"""
PUNT = """ingress_clone_table_entry {
    match { marked_to_copy: "0x1" marked_to_mirror: "0x0" } action { ingress_clone { clone_session: "0xff" } } priority: 1 }"""


def next_hop(name, port):
    return f"""router_interface_table_entry {{ match {{ router_interface_id: "rif-{port}" }}
        action {{ unicast_set_port_and_src_mac {{ port: "{port}" src_mac: "{OWN}" }} }} }}
    neighbor_table_entry {{ match {{ router_interface_id: "rif-{port}" neighbor_id: "fe80::2" }}
        action {{ set_dst_mac {{ dst_mac: "{NEXT}" }} }} }}
    nexthop_table_entry {{ match {{ nexthop_id: "{name}" }}
        action {{ set_ip_nexthop {{ router_interface_id: "rif-{port}" neighbor_id: "fe80::2" }} }} }}"""


def routes(action):
    return f"""ipv4_table_entry {{ match {{ vrf_id: "vrf" }} action {{ {action} }} }}
    ipv6_table_entry {{ match {{ vrf_id: "vrf" }} action {{ {action} }} }}"""


FORWARD = "\n".join([ADMIT, VRF, next_hop("two", 2), routes('set_nexthop_id { nexthop_id: "two" }')])
INTO_VLAN = FORWARD.replace(
    f'unicast_set_port_and_src_mac {{ port: "2" src_mac: "{OWN}" }}',
    f'unicast_set_port_and_src_mac_and_vlan_id {{ port: "2" src_mac: "{OWN}" vlan_id: "0x007" }}',
)
MEMBER = """vlan_table_entry { match { vlan_id: "0x007" } action { no_action { } } }
vlan_membership_table_entry { match { vlan_id: "0x007" port: "2" } action { make_untagged_member { } } }"""
UDP4 = frames.udp(b"a payload of an IPv4 packet")
UDP6 = frames.udp(b"a payload of an IPv6 packet")


def acl(action):
    return f"acl_ingress_table_entry {{ match {{ }} action {{ {action} }} priority: 1 }}"


def packet4(destination="10.0.0.1", ttl=16, to=ROUTER, source=HOST):
    return frames.ethernet(to, source, frames.IPV4, frames.ipv4("10.0.0.8", destination, ttl, UDP4))


def packet6(ttl=16, to=ROUTER, source=HOST):
    return frames.ethernet(to, source, frames.IPV6, frames.ipv6("2001:db8::8", "2001:db8::1", ttl, UDP6))


FORWARDED4, FORWARDED6 = packet4(ttl=15, to=NEXT, source=OWN), packet6(ttl=15, to=NEXT, source=OWN)
TUNNEL = frames.ethernet(
    ROUTER,
    HOST,
    frames.IPV6,
    frames.ipv6("1122::8", "11:2233::1", 66, frames.ipv6("2001:db8::8", "2001:db8::1", 16, UDP6), frames.IPV6_IN),
)
GROUP = "225.10.20.32"
MULTICAST = packet4(GROUP, to="01:00:5e:0a:14:20")
REPLICA = packet4(GROUP, 15, "01:00:5e:0a:14:20", OWN)
ROUTE_TO_GROUP = f"""ipv4_multicast_table_entry {{ match {{ vrf_id: "vrf" ipv4_dst: "{GROUP}" }}
    action {{ set_multicast_group_id {{ multicast_group_id: "0x0007" }} }} }}"""


def replica(port):
    return f"""multicast_router_interface_table_entry {{
        match {{ multicast_replica_port: "{port}" multicast_replica_instance: "0x0000" }}
        action {{ multicast_set_src_mac {{ src_mac: "{OWN}" }} }} }}"""


class Case:
    """Packets that enter, and all that must leave: by ports and to the controller, as (ingress, target, frame)."""

    def __init__(self, name, text, sent, received=(), packet_ins=(), group=(), packet_outs=()):
        self.name, self.text, self.sent, self.received = name, text, sent, sorted(received)
        self.packet_ins, self.group, self.packet_outs = sorted(packet_ins), group, packet_outs


CASES = [
    Case("forwarding", FORWARD, [(1, packet4()), (3, packet6())], [(2, FORWARDED4), (2, FORWARDED6)]),
    Case("no route", "\n".join([ADMIT, VRF]), [(1, packet4())]),
    # Every unicast MAC is admitted here, with an entry or without one (admit_google_system_mac).
    Case("admitted without an entry", FORWARD.replace(ADMIT, ""), [(1, packet4())], [(2, FORWARDED4)]),
    Case("a unicast packet to a multicast MAC", FORWARD, [(1, packet4(to="01:00:5e:00:00:01"))]),
    Case("loopback source", FORWARD, [(1, packet4("127.0.0.1"))]),
    Case("dropped by an ACL", f"{FORWARD}\n{acl('acl_drop { }')}", [(1, packet4()), (1, packet6())]),
    Case(
        "trapped by an ACL",
        f"{FORWARD}\n{PUNT}\n" + acl('acl_trap { qos_queue: "0x7" }'),
        [(1, packet4())],
        packet_ins=[(b"1", b"2", packet4())],
    ),
    Case(
        "copied by an ACL",
        f"{FORWARD}\n{PUNT}\n" + acl('acl_copy { qos_queue: "0x7" }'),
        [(3, packet6())],
        [(2, FORWARDED6)],
        [(b"3", b"2", packet6())],
    ),
    Case("packet-out by a port", FORWARD, [], [(3, packet4())], packet_outs=[(b"3", 0, packet4())]),
    Case("packet-out into the ingress", FORWARD, [], [(2, FORWARDED4)], packet_outs=[(b"1", 1, packet4())]),
    Case(
        "a tunnel that ends",
        f"{FORWARD}\nipv6_tunnel_termination_table_entry {{ match {{ }} action {{ tunnel_decap {{ }} }} priority: 900 }}",
        [(1, TUNNEL)],
        [(2, FORWARDED6)],
    ),
    Case(
        "multicast",
        "\n".join([ADMIT, VRF, ROUTE_TO_GROUP, replica(2), replica(3)]),
        [(1, MULTICAST)],
        [(2, REPLICA), (3, REPLICA)],
        group=[2, 3],
    ),
    Case(
        "a group of one next hop",
        "\n".join(
            [
                ADMIT,
                VRF,
                next_hop("two", 2),
                routes('set_wcmp_group_id { wcmp_group_id: "group" }'),
                """wcmp_group_table_entry { match { wcmp_group_id: "group" }
                    wcmp_actions { action { set_nexthop_id { nexthop_id: "two" } } weight: 3 } }""",
            ]
        ),
        [(1, packet4()), (1, packet6())],
        [(2, FORWARDED4), (2, FORWARDED6)],
    ),
    # This version of the program neither parses nor emits a tag: no packet inside of one is routed, and what is sent into
    # a VLAN can only be told by being dropped.
    Case("a frame with a tag", FORWARD, [(1, frames.vlan(packet4(), 7))]),
    Case("a VLAN that the port is not in", INTO_VLAN, [(1, packet4())]),
    Case("a VLAN that the port is in, untagged", f"{INTO_VLAN}\n{MEMBER}", [(1, packet4())], [(2, FORWARDED4)]),
]


def suits(name):
    """Whether a program forwards packets as the cases say; `wbb` has an ACL and nothing else."""
    return name != "wbb"


class Ports:
    """The ports of a switch as UDP sockets of this computer."""

    def __init__(self):
        self.sockets = {}
        for port in PORTS:
            own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            own.bind(("127.0.0.1", 0))
            self.sockets[port] = own
        # Where the switch listens. Nobody else takes an address before it does, or it says so.
        self.switch = {port: session.free_port() for port in PORTS}

    def arguments(self):
        for port, own in self.sockets.items():
            yield from ("--port", f"{port}=udp:127.0.0.1:{self.switch[port]},127.0.0.1:{own.getsockname()[1]}")

    def send(self, port, frame):
        self.sockets[port].sendto(frame, ("127.0.0.1", self.switch[port]))

    def received(self):
        """All frames that wait, as (port, frame)."""
        found = []
        for port, own in self.sockets.items():
            own.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    found.append((port, own.recv(65_535)))
        return found

    def close(self):
        for own in self.sockets.values():
            own.close()


def replication(case):
    """The copies that a case needs: the session of packet-ins, and its multicast group."""
    clone = p4runtime_pb2.Entity()
    own = clone.packet_replication_engine_entry.clone_session_entry
    own.session_id = COPY_SESSION
    own.replicas.add(egress_port=CPU_PORT, instance=PACKET_IN_INSTANCE)
    found = [clone]
    if case.group:
        group = p4runtime_pb2.Entity()
        own = group.packet_replication_engine_entry.multicast_group_entry
        own.multicast_group_id = 7
        for port in case.group:
            own.replicas.add(egress_port=port, instance=0)
        found.append(group)
    return found


def packet_out(controller, egress, submits, frame):
    request = p4runtime_pb2.StreamMessageRequest()
    request.packet.payload = frame
    for number, value in ((1, egress), (2, bytes([submits])), (3, b"\x00")):
        request.packet.metadata.add(metadata_id=number, value=value)
    controller.outgoing.put(request)


def collected(ports, controller, frames_wanted, packet_ins_wanted):
    """What leaves, until as much as wanted has left and nothing follows it."""
    received, packet_ins, deadline = [], [], time.monotonic() + PATIENCE
    last = time.monotonic()
    while time.monotonic() < deadline:
        own = ports.received()
        with contextlib.suppress(queue.Empty):
            message = controller.incoming.get(timeout=0.02)
            if message.HasField("packet"):
                metadata = {own.metadata_id: own.value for own in message.packet.metadata}
                packet_ins.append((metadata.get(1), metadata.get(2), message.packet.payload))
                last = time.monotonic()
            elif message.HasField("error"):
                packet_ins.append((b"error", message.error.message.encode(), b""))
        if own:
            received += own
            last = time.monotonic()
        is_enough = len(received) >= frames_wanted and len(packet_ins) >= packet_ins_wanted
        if is_enough and time.monotonic() - last > SILENCE:
            break
    return sorted(received), sorted(packet_ins)


def run_case(outcome, controller, program, ports, case):
    parsed, others = entries.of_message(text_format.read(case.text), program)
    if others:
        return 0  # The program lacks a table or an action of the case.
    updates = [p4runtime_pb2.Update(type=session.INSERT, entity=own) for own in replication(case)]
    for entry in parsed:
        update = p4runtime_pb2.Update(type=session.INSERT)
        update.entity.table_entry.CopyFrom(entry)
        updates.append(update)
    statuses = controller.write(updates)
    outcome.check(all(code == session.OK for code, _ in statuses), f"{case.name}: {[own for own in statuses if own[0]]}")
    for port, frame in case.sent:
        ports.send(port, frame)
    for egress, submits, frame in case.packet_outs:
        packet_out(controller, egress, submits, frame)
    received, packet_ins = collected(ports, controller, len(case.received), len(case.packet_ins))
    shown = lambda own: [tuple(part.hex() if isinstance(part, bytes) else part for part in one) for one in own]
    outcome.check(received == case.received, f"{case.name}: sent {shown(received)} instead of {shown(case.received)}")
    outcome.check(
        packet_ins == case.packet_ins, f"{case.name}: packet-ins {shown(packet_ins)} instead of {shown(case.packet_ins)}"
    )
    for update in updates:
        update.type = session.DELETE
    statuses = controller.write(list(reversed(updates)))
    outcome.check(all(code == session.OK for code, _ in statuses), f"{case.name}: {[own for own in statuses if own[0]]}")
    return len(case.sent) + len(case.packet_outs)


def run(outcome, polyplane, source):
    """Runs all cases, and returns how many packets were sent."""
    ports = Ports()
    arguments = ["live", str(source), "-D", DEFINE, "--cpu-port", str(CPU_PORT), *ports.arguments()]
    try:
        with session.server(polyplane, arguments) as address, session.Session(address) as controller:
            program = entries.Program(controller.p4info())
            return sum(run_case(outcome, controller, program, ports, case) for case in CASES)
    finally:
        ports.close()
