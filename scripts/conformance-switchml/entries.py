"""The entries of p4app-switchML's tables, as commands of simple_switch_CLI, and the chip. The program's own controller writes the same
with other ports, of which many lead back into the chip."""

from frames import SIZES, SWITCH_IP, SWITCH_MAC, SWITCH_PORT, worker_ip, worker_mac

GROUP = 1
# Types of packets on their way through the chip.
CONSUME, HARVEST = 0x4, 0x8
ANY_SIZE = ANY_WORKER = ANY_TYPE = ANY_FLAG = ANY_BITMAP = "0&&&0"
FIRST, LAST = "0&&&0xff", "1&&&0xff"
NEW = "0&&&0xffffffff"


def port_of(worker):
    """Every fourth port of the first pipe, as the lanes of ports of 100 Gb/s are numbered."""
    return 4 * worker


def chip(workers, values, dropped):
    """The file of a chip whose ports tell the program's drop simulator which share of packets to drop: in ingress, and in egress."""
    share = int(0xFFFF * dropped)
    ports = [port_of(worker) for worker in range(workers)]
    return f"""pipes = {1 if values == 64 else 4}

[[port]]
ports = {ports}
metadata = "0x{share:04x}{share:04x}"
"""


def commands(workers, values):
    """All entries for a job of so many workers, whose packets have so many values."""
    lines = [
        f"table_set_default udp_sender.switch_mac_and_ip set_switch_mac_and_ip {SWITCH_MAC} {SWITCH_IP}",
        f"mc_mgrp_create {GROUP}",
    ]
    for worker in range(workers):
        exact = "&&&ff:ff:ff:ff:ff:ff"
        key = " ".join((
            "0&&&0", worker_mac(worker) + exact, SWITCH_MAC + exact, f"{worker_ip(worker)}/32", f"{SWITCH_IP}/32",
            f"{SWITCH_PORT:#x}&&&0xfff0", "0&&&0",
        ))
        lines += [
            f"table_add receive_udp set_bitmap {key} => {GROUP} 1 {worker} {workers} {1 << worker:#x} 10",
            f"table_add udp_sender.dst_addr set_dst_addr {worker} => {worker_mac(worker)} {worker_ip(worker)}",
            f"mc_node_create {worker} {port_of(worker)}",
            f"mc_node_associate {GROUP} {worker}",
        ]
    steps = one_pass() if values == 64 else folded(workers)
    for priority, (size, worker, kind, flag, bitmap, action) in enumerate(steps + LAST_PASS):
        size = f"{size}&&&0x7" if size is not None else ANY_SIZE
        worker = f"{worker}&&&0xffff" if worker is not None else ANY_WORKER
        name, *ports = action.split()
        key = " ".join((size, worker, f"{kind:#x}&&&0xf", flag, bitmap))
        lines.append(" ".join(("table_add next_step", name, key, "=>", *ports, str(priority))))
    return "\n".join(lines) + "\n"


# The last pass reads the last values and sends them: to all if the slot is complete, or to one that has missed it.
LAST_PASS = [
    (None, None, HARVEST + 7, LAST, NEW, "broadcast"),
    (None, None, HARVEST + 7, FIRST, NEW, "next_step_selector.drop"),
    (None, None, HARVEST + 7, FIRST, ANY_BITMAP, "retransmit"),
    (None, None, HARVEST + 7, ANY_FLAG, ANY_BITMAP, "next_step_selector.drop"),
]


def one_pass():
    """Packets of 64 values, which one pipe adds."""
    size, again = SIZES[64], "recirculate_for_HARVEST7 68"
    return [
        (size, None, CONSUME, LAST, ANY_BITMAP, again),
        (size, None, CONSUME, ANY_FLAG, NEW, "finish_consume"),
        (size, None, CONSUME, FIRST, ANY_BITMAP, again),
        (size, None, CONSUME, ANY_FLAG, ANY_BITMAP, "next_step_selector.drop"),
    ]


def folded(workers):
    """Packets of 256 values, of which each of four pipes adds 64 on the way there, and reads 64 on the way back."""
    size, dropped = SIZES[256], "next_step_selector.drop"
    steps = []
    for bitmap, flag in ((NEW, ANY_FLAG), (ANY_BITMAP, FIRST)):
        # The workers share the recirculation ports of the second pipe.
        for worker in range(workers):
            steps.append((size, worker, CONSUME, flag, bitmap, f"recirculate_for_CONSUME1 {128 + 68 + worker % 4}"))
    # In the first pipe the program takes packets from port 68, but not from 69, for recirculated ones.
    back = [3 * 128 + 68, 2 * 128 + 68, 2 * 128 + 69, 128 + 68, 128 + 69, 68, 68]
    return [
        *steps,
        (size, None, CONSUME, ANY_FLAG, ANY_BITMAP, dropped),
        (size, None, CONSUME + 1, ANY_FLAG, ANY_BITMAP, "recirculate_for_CONSUME2_same_port_next_pipe"),
        (size, None, CONSUME + 2, ANY_FLAG, ANY_BITMAP, "recirculate_for_CONSUME3_same_port_next_pipe"),
        (size, None, CONSUME + 3, LAST, ANY_BITMAP, f"recirculate_for_HARVEST1 {back[0]}"),
        (size, None, CONSUME + 3, ANY_FLAG, NEW, "finish_consume"),
        (size, None, CONSUME + 3, FIRST, ANY_BITMAP, f"recirculate_for_HARVEST1 {back[0]}"),
        (size, None, CONSUME + 3, ANY_FLAG, ANY_BITMAP, dropped),
        *(
            (size, None, HARVEST + step, ANY_FLAG, ANY_BITMAP, f"recirculate_for_HARVEST{step + 1} {port}")
            for step, port in enumerate(back[1:], start=1)
        ),
    ]
