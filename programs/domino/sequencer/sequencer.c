// A network sequencer: every packet to a group of replicas gets the group's next number, so that the replicas can
// tell which packets they missed and agree on an order without talking to each other.
//
// Source: Li et al., "Just Say NO to Paxos Overhead: Replacing Consensus with Network Ordering", OSDI 2016; it is
// Example 2 of the MP5 paper (section 2.3.1) and an application of its section 4.4. The number in the packet is
// the order of access made visible: whoever accesses out of order cannot hide it.
#define GROUPS 256

struct Packet {
  int group;
  int slot;
  int sequence;
};

int next_sequence[GROUPS] = {0};

void sequencer(struct Packet packet) {
  packet.slot = packet.group & (GROUPS - 1);
  next_sequence[packet.slot] += 1;
  packet.sequence = next_sequence[packet.slot];
}
