// A learning filter: a Bloom filter that remembers who has sent before, so that a switch asks its control plane
// about a new sender once and not for every packet until the answer is installed.
//
// Source: Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970; as a part of a switch:
// the Domino paper (Sivaraman et al., SIGCOMM 2016), where each of the three arrays needs the atom `rw`.
#include "hashes.h"

#define BITS 1024

struct Packet {
  int src;
  int sport;
  int slot1;
  int slot2;
  int slot3;
  int learn;
};

int filter1[BITS] = {0};
int filter2[BITS] = {0};
int filter3[BITS] = {0};

void learning_filter(struct Packet packet) {
  packet.slot1 = hash2a(packet.src, packet.sport) % BITS;
  packet.slot2 = hash2b(packet.src, packet.sport) % BITS;
  packet.slot3 = hash2c(packet.src, packet.sport) % BITS;

  packet.learn = !(filter1[packet.slot1] && filter2[packet.slot2] && filter3[packet.slot3]);

  filter1[packet.slot1] = 1;
  filter2[packet.slot2] = 1;
  filter3[packet.slot3] = 1;
}
