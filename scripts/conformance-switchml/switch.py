"""The switch: a process of `polyplane live` whose ports are UDP sockets on the loopback interface."""

import json
import pathlib
import selectors
import socket
import subprocess
import tempfile
import time

PATIENCE = 300


class Switch:
    """It runs while the block does."""

    def __init__(self, polyplane, program, chip, commands, ports):
        """The chip and the commands are the texts of files."""
        self.polyplane, self.program, self.files, self.ports = polyplane, program, {"chip.toml": chip, "commands.txt": commands}, ports

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="polyplane-switchml-")
        folder = pathlib.Path(self._folder.name)
        for name, text in self.files.items():
            (folder / name).write_text(text)
        self._sockets = [self._bound() for _ in self.ports]
        # The switch binds these addresses itself.
        others = [self._bound() for _ in self.ports]
        addresses = [own.getsockname() for own in others]
        for own in others:
            own.close()
        arguments = [self.polyplane, "live", str(self.program), "--tables", str(folder / "commands.txt")]
        arguments += ["--chip", str(folder / "chip.toml"), "--socket", str(folder / "control.sock")]
        for port, own, address in zip(self.ports, self._sockets, addresses):
            arguments += ["--port", f"{port}=udp:{shown(address)},{shown(own.getsockname())}"]
            own.connect(address)
        self._control = folder / "control.sock"
        self._errors = open(folder / "errors.txt", "w+")
        self._process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=self._errors)
        deadline = time.monotonic() + PATIENCE
        while not self._control.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._errors.seek(0)
                said = self._errors.read()
                self.__exit__()
                raise RuntimeError(f"the switch did not start: {said[-2000:]}")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for own in self._sockets:
            own.close()
        self._errors.close()
        self._folder.cleanup()

    def counted(self, name):
        """How many packets the program's counter of this name has counted, at all indices or entries together."""
        arguments = [self.polyplane, "live", "show", "counters", "--json", "--socket", str(self._control)]
        shown = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
        (counter,) = [counter for counter in shown["counters"]["counters"] if counter["name"] == name]
        assert not counter["more"], f"{name} is not shown whole"
        return sum(int(value["value"].split()[0]) for value in counter["values"])

    def drive(self, workers, links):
        """Lets the workers send and receive until each has all sums; gives the seconds that it took."""
        began = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for number, own in enumerate(self._sockets):
                selector.register(own, selectors.EVENT_READ, number)
            for worker, (up, _) in zip(workers, links):
                send_all(up, worker.start(began), began)
            while True:
                now = time.monotonic()
                if now > began + PATIENCE:
                    raise TimeoutError(f"{[worker.missing for worker in workers]} sums are missing after {PATIENCE} s")
                for worker, (up, down), own in zip(workers, links, self._sockets):
                    send_all(up, worker.wake(now), now)
                    for frame in down.arrivals(now):
                        send_all(up, worker.receive(frame, now), now)
                    for frame in up.arrivals(now):
                        transmit(own, frame)
                if not any(worker.missing for worker in workers):
                    return time.monotonic() - began
                deadlines = (one.deadline() for one in (*workers, *(link for both in links for link in both)))
                due = min(deadline for deadline in deadlines if deadline is not None)
                for key, _ in selector.select(max(0, due - time.monotonic())):
                    now = time.monotonic()
                    for frame in received(key.fileobj):
                        # Results are in no order.
                        links[key.data][1].send(None, frame, now)

    @staticmethod
    def _bound():
        own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        own.bind(("127.0.0.1", 0))
        own.setblocking(False)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        return own


def shown(address):
    return ":".join(map(str, address))


def send_all(link, packets, now):
    for slot, frame in packets:
        link.send(slot, frame, now)


def transmit(own, frame):
    """Sends a frame, or loses it, if the other end has no room or is not there: then the worker sends it again."""
    try:
        own.send(frame)
    except (BlockingIOError, ConnectionRefusedError):
        pass


def received(own):
    """All frames that have come."""
    while True:
        try:
            yield own.recv(1 << 16)
        except (BlockingIOError, ConnectionRefusedError):
            return
