// Sampled counting: of the packets that come in on a port, every Nth is a sample.
//
// Source: RFC 3176 (sFlow) and sampled NetFlow, which the MP5 paper cites among the algorithms whose addresses
// resolve on arrival. A counter that starts over at its limit needs the atom `if_else_raw` (Domino paper).
#define PORTS 64
#define N 8

struct Packet {
  int in_port;
  int slot;
  int sample;
};

int passed[PORTS] = {0};

void sampling(struct Packet packet) {
  packet.slot = packet.in_port & (PORTS - 1);
  packet.sample = 0;
  if (passed[packet.slot] == N - 1) {
    passed[packet.slot] = 0;
    packet.sample = 1;
  } else {
    passed[packet.slot] += 1;
  }
}
