"""Tests of bridge.p4 that `ptf` runs: a controller sets the pipeline and writes entries, and packets cross the ports.

Parameters: `address` of the server, and `files` that controllers load, without their endings.
"""

import itertools
import queue
import threading

import grpc
from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from ptf import testutils
from ptf.base_tests import BaseTest

LONGEST = 10
# Election ids. The stream of the test before may still be open, and an id that is in use is refused.
ELECTIONS = itertools.count(1)
STATION, STRANGER = "02:00:00:00:00:01", "02:00:00:00:00:02"


class Bridge(BaseTest):
    """A primary controller whose switch has the program and no entries."""

    def setUp(self):
        BaseTest.setUp(self)
        self.dataplane = testutils.ptf.dataplane_instance
        self.dataplane.flush()
        self.channel = grpc.insecure_channel(testutils.test_param_get("address"))
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(self.channel)
        self.requests, self.packets, arbitrated = queue.Queue(), queue.Queue(), queue.Queue()
        self.responses = self.stub.StreamChannel(iter(self.requests.get, None))

        def receive():
            try:
                for response in self.responses:
                    (self.packets if response.HasField("packet") else arbitrated).put(response)
            except grpc.RpcError:
                pass  # The test has ended the stream.

        self.receiver = threading.Thread(target=receive, daemon=True)
        self.receiver.start()
        claim = p4runtime_pb2.StreamMessageRequest()
        claim.arbitration.device_id = 1
        self.election = next(ELECTIONS)
        claim.arbitration.election_id.low = self.election
        self.requests.put(claim)
        self.assertEqual(arbitrated.get(timeout=LONGEST).arbitration.status.code, 0)
        files = testutils.test_param_get("files")
        self.info = p4info_pb2.P4Info()
        with open(files + ".p4info.txt") as text:
            text_format.Parse(text.read(), self.info)
        request = p4runtime_pb2.SetForwardingPipelineConfigRequest(device_id=1)
        request.election_id.low = self.election
        request.action = request.VERIFY_AND_COMMIT
        request.config.p4info.CopyFrom(self.info)
        with open(files + ".json", "rb") as program:
            request.config.p4_device_config = program.read()
        self.stub.SetForwardingPipelineConfig(request, timeout=LONGEST)

    def tearDown(self):
        self.responses.cancel()
        self.requests.put(None)
        self.receiver.join(LONGEST)
        self.channel.close()
        BaseTest.tearDown(self)

    def number(self, objects, alias):
        return next(own.preamble.id for own in objects if own.preamble.alias == alias)

    def write(self, kind, station, port=None):
        """Inserts, modifies or deletes the entry of a station."""
        request = p4runtime_pb2.WriteRequest(device_id=1)
        request.election_id.low = self.election
        update = request.updates.add(type=kind)
        entry = update.entity.table_entry
        entry.table_id = self.number(self.info.tables, "stations")
        match = entry.match.add(field_id=1)
        match.exact.value = bytes.fromhex(station.replace(":", ""))
        if port is not None:
            entry.action.action.action_id = self.number(self.info.actions, "forward")
            entry.action.action.params.add(param_id=1, value=bytes([port]))
        self.stub.Write(request, timeout=LONGEST)

    def packet_in(self):
        """Returns the payload of the next packet-in, and the port by which it came."""
        packet = self.packets.get(timeout=LONGEST).packet
        return packet.payload, int.from_bytes(packet.metadata[0].value, "big")


class EntriesDecideWhereFramesGo(Bridge):
    def runTest(self):
        frame = testutils.simple_eth_packet(eth_dst=STATION, eth_src=STRANGER)
        self.write(p4runtime_pb2.Update.INSERT, STATION, 2)
        testutils.send_packet(self, 1, frame)
        testutils.verify_packets(self, frame, [2])
        self.write(p4runtime_pb2.Update.MODIFY, STATION, 3)
        testutils.send_packet(self, 1, frame)
        testutils.verify_packets(self, frame, [3])
        self.assertTrue(self.packets.empty())
        self.write(p4runtime_pb2.Update.DELETE, STATION)
        testutils.send_packet(self, 1, frame)
        self.assertEqual(self.packet_in(), (bytes(frame), 1))
        testutils.verify_no_other_packets(self)


class UnknownStationsAreTheControllers(Bridge):
    def runTest(self):
        frame = testutils.simple_tcp_packet(eth_dst=STRANGER, eth_src=STATION)
        for port in 3, 1:
            testutils.send_packet(self, port, frame)
            self.assertEqual(self.packet_in(), (bytes(frame), port))
        testutils.verify_no_other_packets(self)


class ControllersSendByAnyPort(Bridge):
    def runTest(self):
        frame = testutils.simple_udp_packet(eth_dst=STRANGER, eth_src=STATION)
        for port in 1, 2, 3:
            request = p4runtime_pb2.StreamMessageRequest()
            request.packet.payload = bytes(frame)
            request.packet.metadata.add(metadata_id=1, value=bytes([port]))
            self.requests.put(request)
            testutils.verify_packets(self, frame, [port])
