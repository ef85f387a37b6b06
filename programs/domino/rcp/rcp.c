// RCP's measurements at a link: the bytes that want to pass, and the mean round-trip time of those who know
// theirs. From the three sums the control plane computes, every few round-trip times, the rate that it grants.
//
// A sender leaves `rtt` at 0 until it has measured one; round-trip times above MAX_RTT are left out of the mean, as
// one lost and resent packet would spoil it.
//
// Source: Tai, Zhu, Dukkipati, "Making Large Scale Deployment of RCP Practical for Real Networks", INFOCOM 2008.
// Atoms: `raw` for the bytes, `pred_raw` for the other two (Domino paper).

// Milliseconds.
#define MAX_RTT 300

struct Packet {
  int length;
  int rtt;
  int measured;
};

int traffic_bytes = 0;
int rtt_sum = 0;
int rtt_packets = 0;

void rcp(struct Packet packet) {
  packet.measured = packet.rtt > 0 && packet.rtt < MAX_RTT;
  traffic_bytes += packet.length;
  if (packet.measured) {
    rtt_sum += packet.rtt;
    rtt_packets += 1;
  }
}
