// Flowlet switching: a flow may change its path whenever it has paused for longer than the paths differ in
// latency, for then no packet of it can overtake an earlier one.
//
// Source: Sinha, Kandula, Katabi, "Harnessing TCP's Burstiness with Flowlet Switching", HotNets 2004. It is the
// running example of the Domino paper (Sivaraman et al., SIGCOMM 2016) and the first application of MP5's
// section 4.4.
#include "hashes.h"

#define FLOWS 8192
#define HOPS 8
// Microseconds; CONGA (Alizadeh et al., SIGCOMM 2014) uses the same.
#define PAUSE 500
// No packet came yet: longer ago than any pause.
#define LONG_AGO (-1000000)

struct Packet {
  int sport;
  int dport;
  int arrival;
  int slot;
  int pause;
  int new_hop;
  int next_hop;
};

int last_time[FLOWS] = {LONG_AGO};
int saved_hop[FLOWS] = {0};

void flowlet(struct Packet packet) {
  packet.slot = hash2(packet.sport, packet.dport) % FLOWS;
  packet.new_hop = hash3(packet.sport, packet.dport, packet.arrival) % HOPS;

  packet.pause = packet.arrival - last_time[packet.slot];
  last_time[packet.slot] = packet.arrival;

  if (packet.pause > PAUSE) {
    saved_hop[packet.slot] = packet.new_hop;
  }
  packet.next_hop = saved_hop[packet.slot];
}
