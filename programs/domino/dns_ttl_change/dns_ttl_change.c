// Counts how often the time to live of a DNS answer changes: names of botnets and of other malice change theirs
// far more often than names of honest services.
//
// A slot remembers one address at a time; another address that hashes there starts a new count, so that two
// addresses are never mistaken for one that changes.
//
// Source: Bilge et al., "EXPOSURE: Finding Malicious Domains Using Passive DNS Analysis", NDSS 2011.
// The counter starts over, stays or grows: three outcomes of two conditions, the atom `nested_ifs` (Domino
// paper); the two arrays that it compares with need `rw`.
#include "hashes.h"

#define RECORDS 4096

struct Packet {
  int rdata;
  int ttl;
  int slot;
  int fresh;
  int changes;
};

int owner[RECORDS] = {0};
int last_ttl[RECORDS] = {0};
int ttl_changes[RECORDS] = {0};

void dns_ttl_change(struct Packet packet) {
  packet.slot = hash2(packet.rdata, 0) % RECORDS;

  packet.fresh = owner[packet.slot] != packet.rdata;
  owner[packet.slot] = packet.rdata;

  if (packet.fresh) {
    ttl_changes[packet.slot] = 0;
  } else {
    if (last_ttl[packet.slot] != packet.ttl) {
      ttl_changes[packet.slot] += 1;
    }
  }
  last_ttl[packet.slot] = packet.ttl;
  packet.changes = ttl_changes[packet.slot];
}
