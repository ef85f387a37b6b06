// Start-time fair queueing: the virtual time at which a packet may start, in a queue that is sorted by it.
//
// A packet starts when the one before it in its flow has finished, or now if the flow was idle; it finishes
// after its length divided by the weight of its flow. Weights are powers of two, taken from the class selector
// (RFC 2474) in the upper three bits of DSCP, so that a shift divides.
//
// Source: Goyal, Vin, Cheng, "Start-time Fair Queueing", SIGCOMM 1996; as a program for a switch: Sivaraman et
// al., "Programmable Packet Scheduling at Line Rate", SIGCOMM 2016, and MP5's section 4.4 ("WFQ"). One array with
// two nested conditions on its own value: the atom `nested_ifs` (Domino paper).
#include "hashes.h"

#define FLOWS 8192
// The finish time of a flow that never sent. Virtual time counts from 1.
#define NEVER 0

struct Packet {
  int sport;
  int dport;
  int dscp;
  int length;
  int virtual_time;
  int slot;
  int share;
  int start;
};

int finish[FLOWS] = {NEVER};

void stfq(struct Packet packet) {
  packet.slot = hash2(packet.sport, packet.dport) % FLOWS;
  packet.share = packet.length >> (packet.dscp >> 3);

  if (finish[packet.slot] > NEVER && packet.virtual_time < finish[packet.slot]) {
    packet.start = finish[packet.slot];
    finish[packet.slot] += packet.share;
  } else {
    packet.start = packet.virtual_time;
    finish[packet.slot] = packet.virtual_time + packet.share;
  }
}
