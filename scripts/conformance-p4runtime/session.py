"""A P4Runtime client: one server that is started for a program, and one controller that is its primary."""

import contextlib
import queue
import socket
import subprocess
import threading
import time

import grpc
from google.rpc import code_pb2, status_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

OK = code_pb2.OK
INSERT, MODIFY, DELETE = p4runtime_pb2.Update.INSERT, p4runtime_pb2.Update.MODIFY, p4runtime_pb2.Update.DELETE
DEVICE = 1
MOST_BYTES = 256 << 20


def free_port():
    with contextlib.closing(socket.socket()) as own:
        own.bind(("127.0.0.1", 0))
        return own.getsockname()[1]


@contextlib.contextmanager
def server(polyplane, arguments, patience=120):
    """A server of these arguments, as (address, process); it is ended behind the block."""
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen([polyplane, *arguments, "--p4runtime", address], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True)
    reader.start()
    try:
        deadline = time.monotonic() + patience
        while True:
            with contextlib.closing(socket.socket()) as own:
                host, port = address.split(":")
                if own.connect_ex((host, int(port))) == 0:
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                reader.join(1)
                raise RuntimeError(f"the server did not start: {''.join(lines)[-2000:]}")
            time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Session:
    """A controller that has become the primary."""

    def __init__(self, address, election=1):
        # The status of each update of a batch comes in the metadata behind the answer.
        limits = ("max_receive_message_length", "max_send_message_length", "max_metadata_size", "absolute_max_metadata_size")
        options = [(f"grpc.{limit}", MOST_BYTES) for limit in limits]
        self.channel = grpc.insecure_channel(address, options=options)
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(self.channel)
        self.election = p4runtime_pb2.Uint128(low=election)
        self.outgoing, self.incoming = queue.Queue(), queue.Queue()
        self.stream = self.stub.StreamChannel(iter(self.outgoing.get, None))
        threading.Thread(target=self.listen, daemon=True).start()
        request = p4runtime_pb2.StreamMessageRequest()
        request.arbitration.device_id = DEVICE
        request.arbitration.election_id.CopyFrom(self.election)
        self.outgoing.put(request)
        answer = self.incoming.get(timeout=30)
        if answer.arbitration.status.code != OK:
            raise RuntimeError(f"the server made somebody else the primary: {answer}")

    def listen(self):
        with contextlib.suppress(grpc.RpcError):
            for message in self.stream:
                self.incoming.put(message)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.outgoing.put(None)
        self.channel.close()

    def p4info(self):
        request = p4runtime_pb2.GetForwardingPipelineConfigRequest(device_id=DEVICE)
        return self.stub.GetForwardingPipelineConfig(request, timeout=60).config.p4info

    def write(self, updates):
        """Writes updates, and returns the (code, message) of each."""
        request = p4runtime_pb2.WriteRequest(device_id=DEVICE, updates=updates)
        request.election_id.CopyFrom(self.election)
        try:
            self.stub.Write(request, timeout=120)
        except grpc.RpcError as error:
            metadata = dict(error.trailing_metadata() or ())
            whole = status_pb2.Status.FromString(metadata.get("grpc-status-details-bin", b""))
            if len(whole.details) != len(updates):
                raise
            statuses = []
            for detail in whole.details:
                own = p4runtime_pb2.Error()
                detail.Unpack(own)
                statuses.append((own.canonical_code, own.message))
            return statuses
        return [(OK, "")] * len(updates)

    def write_entries(self, kind, entries):
        updates = [p4runtime_pb2.Update(type=kind) for _ in entries]
        for update, entry in zip(updates, entries):
            update.entity.table_entry.CopyFrom(entry)
        return self.write(updates) if updates else []

    def entries(self):
        """All entries that a controller can have written."""
        request = p4runtime_pb2.ReadRequest(device_id=DEVICE)
        request.entities.add().table_entry.SetInParent()
        answers = self.stub.Read(request, timeout=120)
        found = (entity.table_entry for answer in answers for entity in answer.entities)
        return [entry for entry in found if not entry.is_default_action and not entry.is_const]
