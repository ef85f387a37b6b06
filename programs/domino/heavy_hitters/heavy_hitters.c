// Heavy hitters by a count sketch: three counters, chosen by three independent hashes, count each flow. The least
// of them never undercounts; a flow is heavy once it is above the threshold, and is then marked "lower effort"
// (DSCP 1, RFC 8622).
//
// Source: Cormode, Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its Applications",
// 2005; in switches: Yu, Jose, Miao, "Software Defined Traffic Measurement with OpenSketch", NSDI 2013. Each
// array needs the atom `raw` (Domino paper).
#include "hashes.h"

#define COUNTERS 4096
#define HEAVY 16
#define LOWER_EFFORT 1

struct Packet {
  int sport;
  int dport;
  int dscp;
  int slot1;
  int slot2;
  int slot3;
  int estimate;
  int heavy;
};

int sketch1[COUNTERS] = {0};
int sketch2[COUNTERS] = {0};
int sketch3[COUNTERS] = {0};

int minimum(int a, int b) {
  return a < b ? a : b;
}

void heavy_hitters(struct Packet packet) {
  packet.slot1 = hash2a(packet.sport, packet.dport) % COUNTERS;
  packet.slot2 = hash2b(packet.sport, packet.dport) % COUNTERS;
  packet.slot3 = hash2c(packet.sport, packet.dport) % COUNTERS;

  sketch1[packet.slot1] += 1;
  sketch2[packet.slot2] += 1;
  sketch3[packet.slot3] += 1;

  packet.estimate = minimum(minimum(sketch1[packet.slot1], sketch2[packet.slot2]), sketch3[packet.slot3]);
  packet.heavy = packet.estimate > HEAVY;
  if (packet.heavy) {
    packet.dscp = LOWER_EFFORT;
  }
}
