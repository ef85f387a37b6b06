"""The chip and the entries of the two programs: 64 hosts, 10.0.0.1 to 10.0.0.64, at a chip of four pipes of 16 ports."""

PIPES, PORTS = 4, 16
RECIRCULATION = [128 * pipe + 68 for pipe in range(PIPES)]
ROUTER = "02:00:00:00:00:01"
# Bytes a microsecond at 100 Gb/s, and the burst: ten packets of 1500 bytes.
RATE, BURST = 12500, 15000


def device_port(host):
    return 128 * (host // PORTS) + 4 * (host % PORTS)


def address(host):
    return f"10.0.0.{host + 1}"


def neighbour(host):
    return f"02:00:0a:00:00:{host + 1:02x}"


def chip(high, cells):
    """The chip, whose queue `high` goes first, and whose queue of data holds so many cells."""
    ports = [device_port(host) for host in range(PIPES * PORTS)]
    others = 3 - high
    deflection = "".join(f"[[deflection]]\nport = {port}\nqueue = 0\n" for port in RECIRCULATION)
    return f"""pipes = {PIPES}
[queue]
queues = 3
[[queue.class]]
queues = [0]
limit = {cells}
[[queue.class]]
queues = [{others}]
[[queue.class]]
queues = [{high}]
priority = 7
[[port]]
ports = {ports}
[[port]]
ports = {RECIRCULATION}
[port.queue]
queues = 3
[[port.queue.class]]
queues = [0, {others}]
[[port.queue.class]]
queues = [{high}]
priority = 7
{deflection}"""


def meters(names):
    return [f"meter_array_set_rates {name} {RATE / part:g}:{BURST} {RATE / part:g}:{BURST}" for name, part in zip(names, (1, 2, 4))]


def session(number, port, queue, length):
    return f"configure mirror = [{{ session = {number}, port = {port}, queue = {queue}, length = {length} }}]"


def ours():
    """Commands for programs/p4/ndp."""
    lines = ["table_set_default marks mark 12"]
    for host in range(PIPES * PORTS):
        port = device_port(host)
        lines += [
            f"table_add routes to_next_hop {address(host)}/32 => {host} {port} {100 + host}",
            f"table_add groups notify {port} => {1 + host}",
            f"table_add next_hops to {host} => {ROUTER} {neighbour(host)}",
            session(100 + host, port, 2, 69),
            f"configure multicast = [{{ group = {1 + host}, node = [{{ ports = {[port, *RECIRCULATION]} }}] }}]",
        ]
    for pipe, port in enumerate(RECIRCULATION):
        lines += [f"table_add updates update {port} => {200 + pipe}", session(200 + pipe, port, 2, 69)]
    return lines + meters(("optimistic", "half_pessimistic", "pessimistic"))


def theirs(queue_of_updates):
    """Commands for the authors' program, as its own set-up makes them, but for the lengths of mirror sessions of ingress: it cuts to 64
    bytes and 3 of the header between the gresses, which has 16 in front of packets that are trimmed in ingress. Its set-up leaves the
    queue of UPDATEs at 0, that of deflected packets."""
    lines = [
        "table_set_default configure_ndp set_config 1 0 0",
        "table_add populate_lkp set_lkp_udp 1 1 0 0&&&0 => 1",
        f"configure multicast = [{{ group = 0x1000, node = [{{ ports = {RECIRCULATION} }}] }}]",
    ]
    lines += [f"pvs_add is_recirc_port {port}" for port in RECIRCULATION]
    lines += [f"table_add act_on_egress invalidate_trim_and_set_update {port} => {1 << 4 | 1 << 7}" for port in RECIRCULATION]
    # Its sessions have odd numbers for ports and even ones for pipes; 1023 is the greatest number.
    lines += [session(2 * port + 2, port, queue_of_updates, 67) for port in RECIRCULATION]
    for host in range(PIPES * PORTS):
        port = device_port(host)
        lines += [
            f"table_add ipv4_lpm set_nhop_idx {address(host)}/32 => {1 + host}",
            f"act_prof_create_member ecmp_selector ipv4_forward_direct_connect {ROUTER} {port}",
            f"table_indirect_add nexthop_resolve {1 + host} => {host}",
            f"table_add arp set_dst {address(host)} => {neighbour(host)}",
            f"table_add truncate mirror_and_drop {port} => {2 * port + 1}",
            f"table_add eg_port2_egmirror set_eg_mirror {port} => {2 * (128 * (host // PORTS) + 68) + 2}",
            session(2 * port + 1, port, 1, 80),
        ]
    return lines + meters(("meter_optimistic", "meter_halftimistic", "meter_pessimistic"))
