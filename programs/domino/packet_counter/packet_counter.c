// Counts the packets that the switch processed, and their bytes.
//
// Source: Example 1 of the MP5 paper (section 2.3.1). Every packet accesses the same state, so that no number of
// pipelines is faster than one (section 3.5.2): the worst case, and the shortest program. Two atoms `raw`.
struct Packet {
  int length;
};

int packets = 0;
int bytes = 0;

void packet_counter(struct Packet packet) {
  packets += 1;
  bytes += packet.length;
}
