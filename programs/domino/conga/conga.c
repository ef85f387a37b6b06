// CONGA's congestion-to-leaf table: for every other leaf switch, the least congested path that feedback told of.
//
// A packet that comes back from leaf `leaf` says how congested path `path` to it is. A better path replaces the
// best one; news of the best path itself, good or bad, replaces what was known of it.
//
// Source: Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for Datacenters", SIGCOMM 2014.
// Two arrays change together, each depending on both: that needs the atom `pair` (Domino paper), and MP5 must keep
// them in one shard.
#define LEAVES 256
// Worse than every metric that a packet can carry.
#define UNKNOWN 256
#define NO_PATH (-1)

struct Packet {
  int leaf;
  int path;
  int metric;
  int slot;
  int choice;
};

int best_metric[LEAVES] = {UNKNOWN};
int best_path[LEAVES] = {NO_PATH};

void conga(struct Packet packet) {
  packet.slot = packet.leaf & (LEAVES - 1);
  if (packet.metric < best_metric[packet.slot]) {
    best_metric[packet.slot] = packet.metric;
    best_path[packet.slot] = packet.path;
  } else {
    if (packet.path == best_path[packet.slot]) {
      best_metric[packet.slot] = packet.metric;
    }
  }
  packet.choice = best_path[packet.slot];
}
