// HULA's probes: each tells how busy the path is that it came along, from the top-of-rack switch (ToR) that sent
// it. The switch remembers the least busy path to each ToR, and a probe that changed its mind goes on to others.
//
// A path not heard of for KEEP_ALIVE is given up for whichever path is heard of next: it may be broken.
//
// Source: Katta et al., "HULA: Scalable Load Balancing Using Programmable Data Planes", SOSR 2016.
// min_utilization and update_time decide about each other: the atom `pair`. Whether best_hop is written depends
// on them, which no switch knows when the packet arrives: MP5 sends a phantom for it in any case (section 3.3).
#define TORS 1024
// Utilization is in 1/256 of the link's rate: 8 bits in the probe.
#define FULL 255
// Microseconds.
#define KEEP_ALIVE 1000

struct Packet {
  int tor;
  int path_utilization;
  int link_utilization;
  int arrival;
  int in_port;
  int slot;
  int update;
};

int min_utilization[TORS] = {FULL};
int update_time[TORS] = {0};
int best_hop[TORS] = {0};

void hula_probe(struct Packet packet) {
  packet.slot = packet.tor & (TORS - 1);

  // A path is as busy as its busiest link.
  if (packet.path_utilization < packet.link_utilization) {
    packet.path_utilization = packet.link_utilization;
  }

  packet.update = 0;
  if (packet.path_utilization < min_utilization[packet.slot]) {
    packet.update = 1;
    min_utilization[packet.slot] = packet.path_utilization;
    update_time[packet.slot] = packet.arrival;
  } else {
    // The difference comes before the comparison, so that time may wrap.
    if (update_time[packet.slot] - packet.arrival < -KEEP_ALIVE) {
      packet.update = 1;
      min_utilization[packet.slot] = packet.path_utilization;
      update_time[packet.slot] = packet.arrival;
    }
  }

  if (packet.update) {
    best_hop[packet.slot] = packet.in_port;
  }
  packet.path_utilization = min_utilization[packet.slot];
}
