"""What the READMEs of the P4 tutorials' exercises say that happens with their solutions, as tests.

Each function takes `lab`, which makes a lab of the exercise's folder from a plan and programs, and returns in a few words
what was seen.
"""

import re
import shutil
import time

from lab import Failed, check, soon

POD = {f"h{number}": f"10.0.{number}.{number}" for number in range(1, 5)}
TRIANGLE = {f"h{number}": f"10.0.{number}.{number}" for number in range(1, 4)}


def message(lab, sender, address, receiver, *arguments):
    """Sends a message by the exercise's scripts, and returns what the receiver prints."""
    receiving = lab.receive(receiver)
    lab.exec(sender, "./send.py", address, "P4 is cool", *arguments)
    receiving.wait_for("P4 is cool")
    return receiving.stop()


def basic(make):
    with make("pod-topo/topology.json") as lab:
        check(not lab.ping("h1", POD["h2"]), "the skeleton drops all packets, and h1 reaches h2")
    for plan, hosts in (("pod-topo/topology.json", POD), ("triangle-topo/topology.json", TRIANGLE)):
        with make(plan, "solution/basic.p4") as lab:
            lab.ping_all(hosts)
            message(lab, "h1", POD["h2"], "h2")
    return "all pairs ping in both topologies; send.py's message arrives at receive.py; the skeleton drops everything"


def basic_tunnel(make):
    with make("topology.json", "solution/basic_tunnel.p4") as lab:
        plain = message(lab, "h1", "10.0.2.2", "h2")
        check("MyTunnel" not in plain, "a message without a tunnel has one")
        tunnel = message(lab, "h1", "10.0.2.2", "h2", "--dst_id", "2")
        check("MyTunnel" in tunnel, "a message in a tunnel has none")
        other = message(lab, "h1", "10.0.3.3", "h2", "--dst_id", "2")
        check("10.0.3.3" in other, "the tunnel does not decide")
    return "messages arrive with and without tunnel; the tunnel decides before the address does"


def calc(make):
    with make("topology.json", "solution/calc.p4") as lab:
        said = lab.exec("h1", "python3", "calc.py", text="1+1\n7-9\n12&10\n12|3\n6^5\nquit\n")
        numbers = [line.removeprefix("> ").strip() for line in said.splitlines()]
        for number in ("2", str(2**32 - 2), "8", "15", "3"):
            check(number in numbers, f"no {number} in {said!r}")
    return "calc.py prints 2, 4294967294, 8, 15 and 3 for 1+1, 7-9, 12&10, 12|3 and 6^5"


def congested(lab, during):
    """Sends a message a second from h1 to h2 while iperf fills the link for 6 s, and returns what h2 prints."""
    receiving = lab.receive("h2")
    server = lab.start_in("h22", "iperf", "-s", "-u")
    server.wait_for("Server listening")
    sending = lab.start_in("h1", "./send.py", "10.0.2.2", "P4 is cool", "24")
    receiving.wait_for("P4 is cool")
    before = receiving.text()
    lab.exec("h11", "iperf", "-c", "10.0.2.22", "-t", "6", "-u", must_succeed=False)
    soon(lambda: sending.process.poll() is not None, "send.py ends", 60)
    time.sleep(1)
    text = receiving.stop()
    check(during(text), f"no queue is seen in: {text[-600:]}")
    return before, text


def ecn(make):
    with make("topology.json", "solution/ecn.p4") as lab:
        before, text = congested(lab, lambda text: "tos       = 0x3" in text)
        marks = re.findall(r"tos +: *\S* *= *(0x\w+)|tos +=  *(0x\w+)", text)
        marks = [one or other for one, other in marks]
        check(marks[0] == "0x1" and marks[-1] == "0x1", f"tos does not begin and end as 0x1: {marks}")
        marked = marks.count("0x3")
        return f"tos is 0x1, then 0x3 in {marked} of {len(marks)} messages while iperf fills the link, then 0x1"


def mri(make):
    with make("topology.json", "solution/mri.p4") as lab:
        depths = lambda text: [int(depth) for depth in re.findall(r"qdepth += (\d+)", text)]
        _, text = congested(lab, lambda text: max(depths(text), default=0) > 10)
        check("count     = 2" in text, f"not two switches: {text[-600:]}")
        switches = re.findall(r"swid +=  *(\d+)", text)
        check(switches[:2] == ["2", "1"], f"not switches 2 and 1, but {switches[:2]}")
        return f"each message has count 2 and switches 2 and 1, with queues of up to {max(depths(text))} packets at switch 1"


def source_routing(make):
    with make("topology.json", "solution/source_routing.p4") as lab:
        receiving = lab.receive("h2")
        lab.exec("h1", "./send.py", "10.0.2.2", text="2 3 2 2 1\n2 1\nq\n")
        soon(lambda: receiving.text().count("got a packet") >= 2, "two packets arrive")
        times = re.findall(r"ttl +=  *(\d+)", receiving.stop())
        check(times == ["59", "62"], f"ttl is {times}")
    return "ports 2 3 2 2 1 arrive with ttl 59, the shortest path 2 1 with ttl 62"


def load_balance(make):
    with make("topology.json", "solution/load_balance.p4") as lab:
        receivers = [lab.receive("h2"), lab.receive("h3")]
        for _ in range(12):
            lab.exec("h1", "./send.py", "10.0.0.1", "P4 is cool")
        time.sleep(1)
        counts = [receiver.stop().count("got a packet") for receiver in receivers]
        check(sum(counts) == 12 and min(counts) > 0, f"h2 and h3 received {counts}")
    return f"of 12 messages h2 received {counts[0]} and h3 {counts[1]}"


def iperf(lab, client, server, seconds=2):
    """Returns the rate of a TCP connection in Mbit/s, as its server received it, or None if there is none.

    The client would also count what waits in its own socket.
    """
    serving = lab.start_in(server, "iperf", "-s", "-f", "m")
    serving.wait_for("Server listening")
    command = ["timeout", "-s", "KILL", str(seconds + 8), "iperf", "-c", POD[server], "-t", str(seconds)]
    done = lab.run(lab.inside(client, command), must_succeed=False, seconds=40)
    rates = lambda: re.findall(r"([\d.]+) Mbits/sec", serving.text())
    if done.returncode == 0:
        soon(rates, "the server of iperf tells its rate")
    serving.stop()
    return float(rates()[-1]) if rates() else None


def firewall(make):
    with make("pod-topo/topology.json", "solution/firewall.p4") as lab:
        inside, out, back = iperf(lab, "h1", "h2"), iperf(lab, "h1", "h3"), iperf(lab, "h3", "h1")
        check(inside and out, f"iperf h1 h2 has {inside}, h1 h3 {out}")
        check(not back, f"iperf h3 h1 has {back}")
    return f"iperf h1 h2 has {inside:.0f} Mb/s, h1 h3 {out:.0f} Mb/s, h3 h1 none"


def link_monitor(make):
    # receive.py takes every packet of its host in Python, and its socket has room for 64 KB: at the rate of the computer it
    # misses most probes. The tutorials' own switches are slow enough for it.
    with make("pod-topo/topology.json", "solution/link_monitor.p4", options=("--rate", "10Mb/s")) as lab:
        receiving = lab.receive("h1")
        lab.start_in("h1", "./send.py")
        receiving.wait_for("Mbps")
        seconds = 10
        rate = iperf(lab, "h1", "h4", seconds)
        check(rate, "iperf h1 h4 has no connection")
        # The probe that tells of the last second of iperf.
        time.sleep(3)
        used = re.findall(r"Switch 1 - Port 4: ([\d.e-]+) Mbps", receiving.stop())
        busy = [float(number) for number in used if float(number) > 0.01]
        check(len(busy) >= 4, f"iperf says {rate} Mb/s for {seconds} s, the probes {used}")
        # The first and the last tell of times at which iperf ran for a part. All count headers of 66 bytes for 1448 of iperf.
        probed = sum(busy[1:-1]) / len(busy[1:-1]) / (1514 / 1448)
        check(abs(probed / rate - 1) < 0.25, f"iperf says {rate} Mb/s for {seconds} s, the probes {busy}")
    return f"with links of 10 Mb/s, iperf h1 h4 has {rate:.1f} Mb/s, and port 4 of switch 1 {probed:.1f} Mb/s by the probes, without headers"


def multicast(make):
    hosts = {f"h{number}": f"10.0.0.{number}" for number in range(1, 5)}
    with make("sig-topo/topology.json", "solution/multicast.p4") as lab:
        check(lab.ping("h1", hosts["h2"], 2, 5) and lab.ping("h1", hosts["h3"], 2, 5), "h1 does not reach h2 and h3")
        check(not lab.ping("h1", hosts["h4"]), "h1 reaches h4 without the last step")
        shutil.copy(lab.folder / "solution/s1-runtime.json", lab.folder / "sig-topo/s1-runtime.json")
    with make("sig-topo/topology.json", "solution/multicast.p4") as lab:
        lab.ping_all(hosts)
    return "h1, h2 and h3 ping each other; h4 as well with the solution's entries"


def qos(make):
    with make("topology.json", "solution/qos.p4") as lab:
        receiving = lab.receive("h2")
        for protocol in ("UDP", "TCP"):
            lab.exec("h1", "./send.py", f"--p={protocol}", "--des=10.0.2.2", "--m=P4 is cool", "--dur=2")
        soon(lambda: receiving.text().count("tos       =") >= 4, "four messages arrive")
        marks = re.findall(r"tos +=  *(0x\w+)", receiving.stop())
        check("0xb9" in marks and "0xb1" in marks, f"tos is {marks}")
    return "tos is 0xb9 for UDP and 0xb1 for TCP"


def controlled(make, program, controller, seen):
    """Starts an exercise whose switches have no entries, and its controller, under which pings must come to be answered."""
    with make("topology.json", program) as lab:
        lab.run([lab.polyplane, "compile", program, "--controller-files", "build"])
        check(not lab.ping("h1", "10.0.2.2"), "h1 reaches h2 without a controller")
        shutil.copy(lab.folder / "solution/mycontroller.py", lab.folder / "mycontroller.py")
        running = lab.start(["python3", "./mycontroller.py"])
        try:
            soon(lambda: lab.ping("h1", "10.0.2.2"), "h1 reaches h2 under the controller", 30)
            lab.ping("h1", "10.0.2.2", 5)
            soon(lambda: seen(running.text()), "the controller sees what it waits for", 20)
        except Failed as failed:
            raise Failed(f"{failed}; the controller said: {running.stop()[-900:]}") from failed
        return running.stop()


def p4runtime(make):
    counted = r"s1 MyIngress.ingressTunnelCounter 100: ([1-9]\d*) packets"
    text = controlled(make, "advanced_tunnel.p4", "mycontroller.py", lambda text: re.search(counted, text))
    return f"mycontroller.py installs the program and the tunnels; pings come back; counter 100 of s1 is {re.findall(counted, text)[-1]}"


def flowcache(make):
    program = "solution/flowcache.p4"
    text = controlled(make, program, "mycontroller.py", lambda text: "Deleted flow_cache entry" in text)
    added = text.count("added table entry")
    return f"mycontroller.py adds {added} entries on packet-ins, pings come back, idle entries are deleted on notifications"


ALL = [
    basic, basic_tunnel, p4runtime, flowcache, ecn, mri, calc, source_routing, load_balance, firewall, link_monitor,
    multicast, qos,
]
