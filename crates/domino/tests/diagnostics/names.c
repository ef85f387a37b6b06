// Names that do not exist, or are something else.
struct Packet { int sport; int dport; int length; };
int count = 0;
int sizes[16] = {0};
int average(int sum) { return sum / cuont; }
void packet(struct Packet p) {
  p.sprot = p.dport;
  q.length = 1;
  cuont += 1;
  length = 3;
  sizes = 4;
  count[2] = 5;
  p = 6;
  average = 7;
  p.length = averge(3) + hash2(1) + average(1, 2);
  count.x = 1;
}
