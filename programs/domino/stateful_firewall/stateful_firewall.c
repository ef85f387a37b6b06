// A stateful firewall: nobody outside may talk to the inside unless the inside has talked to them first.
//
// Inside is 10.77.0.0/25. A packet from inside to outside opens a hole for its pair of endpoints; a packet from
// outside to inside needs that hole. Traffic that stays on one side passes.
//
// Source: the firewall example of Arashloo et al., "SNAP: Stateful Network-Wide Abstractions for Packet
// Processing", SIGCOMM 2016. Whether the array is accessed, written or only read depends on addresses alone, so
// all of it resolves on arrival. The atom is `pred_raw`.
#include "hashes.h"

#define HOLES 8192
// 10.77.0.0, without the 7 bits of the host.
#define INSIDE (0x0a4d0000 >> 7)

struct Packet {
  int src;
  int dst;
  int sport;
  int dport;
  int from_inside;
  int to_inside;
  int slot;
  int drop;
};

int open[HOLES] = {0};

int is_inside(int address) {
  return (address >> 7) == INSIDE;
}

// Where the pair of an endpoint inside and one outside lies.
int hole(int inner, int outer, int inner_port, int outer_port) {
  return hash3(inner, outer, (inner_port << 16) | outer_port) % HOLES;
}

void stateful_firewall(struct Packet packet) {
  packet.from_inside = is_inside(packet.src);
  packet.to_inside = is_inside(packet.dst);
  packet.slot = packet.from_inside ? hole(packet.src, packet.dst, packet.sport, packet.dport)
                                   : hole(packet.dst, packet.src, packet.dport, packet.sport);
  packet.drop = 0;
  if (packet.from_inside && !packet.to_inside) {
    open[packet.slot] = 1;
  } else if (packet.to_inside && !packet.from_inside) {
    packet.drop = !open[packet.slot];
  }
}
