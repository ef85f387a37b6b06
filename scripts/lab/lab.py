"""A lab for the tests of exercises: `polyplane lab` as a person uses it, with commands in hosts beside each other."""

import os
import pathlib
import signal
import subprocess
import time


class Failed(Exception):
    """What an exercise's README promises did not happen."""


class Background:
    """A command that runs in a host until it is stopped; its output goes into a file."""

    def __init__(self, process, file):
        self.process, self.file = process, file

    def text(self):
        return self.file.read_text(errors="replace")

    def wait_for(self, text, seconds=15):
        """Waits until the output contains a text."""
        latest = time.monotonic() + seconds
        while text not in self.text():
            if time.monotonic() > latest:
                raise Failed(f"no `{text}` within {seconds} s in: {self.text()[-600:]}")
            time.sleep(0.05)

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        return self.text()


class Lab:
    """A lab that is up while this is used by `with`."""

    def __init__(self, polyplane, folder, plan, *programs, options=(), python=None):
        self.polyplane, self.folder, self.plan = polyplane, pathlib.Path(folder), plan
        self.options = [*options, *(part for program in programs for part in ("--program", program))]
        self.name = f"tutorials{os.getpid()}"
        self.environment = dict(os.environ, PYTHONUNBUFFERED="1")
        if python:
            # The scripts begin with `/usr/bin/env python3`.
            self.environment["PATH"] = f"{pathlib.Path(python).parent}:{os.environ['PATH']}"
        self.running = []

    def __enter__(self):
        self.run([self.polyplane, "lab", "up", self.plan, "--name", self.name, *self.options])
        return self

    def __exit__(self, *_):
        for background in self.running:
            background.stop()
        self.run([self.polyplane, "lab", "down", self.name])

    def run(self, command, seconds=60, text=None, must_succeed=True):
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, input=text, text=True, capture_output=True, timeout=seconds
        )
        if must_succeed and done.returncode != 0:
            raise Failed(f"{' '.join(command[1:])}: {done.stderr.strip()[-600:] or done.stdout.strip()[-600:]}")
        return done

    def inside(self, host, command):
        return [self.polyplane, "lab", "exec", "--lab", self.name, host, "--", *command]

    def exec(self, host, *command, **options):
        """Runs a command in a host, and returns what it prints."""
        return self.run(self.inside(host, command), **options).stdout

    def start(self, command):
        """Starts a command beside the tests."""
        file = self.folder / f"background-{len(self.running)}.log"
        with open(file, "w") as out:
            process = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True,
            )
        background = Background(process, file)
        self.running.append(background)
        return background

    def start_in(self, host, *command):
        return self.start(self.inside(host, command))

    def receive(self, host):
        """Starts the exercise's receive.py in a host, and returns when it listens."""
        receiver = self.start_in(host, "./receive.py")
        receiver.wait_for("sniffing on", 30)
        # It says so before it opens its socket.
        time.sleep(1)
        return receiver

    def ping(self, host, address, count=1, seconds=1):
        """Returns whether any of some pings is answered within some seconds."""
        command = self.inside(host, ["ping", "-n", "-c", str(count), "-i", "0.2", "-W", str(seconds), address])
        return self.run(command, must_succeed=False).returncode == 0

    def ping_all(self, hosts):
        """Pings from each host to each other."""
        for host in hosts:
            for other, address in hosts.items():
                if other != host and not self.ping(host, address, 2, 5):
                    raise Failed(f"{host} does not reach {other}")


def check(holds, message):
    if not holds:
        raise Failed(message)


def soon(holds, message, seconds=15):
    latest = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > latest:
            raise Failed(f"not within {seconds} s: {message}")
        time.sleep(0.1)
