// command: polyplane check $FILE --machines banzai,mp5 --pipelines 2 --packets 500
// Equal reads of state are one: every array is accessed at one index.
struct Packet { int a; int b; int seen; int out; };
int slot = 0;
int slots[4] = {0, 1, 2, 3};
int counts[8] = {0};
int places[8] = {0};
int sums[8] = {0};
int last[8] = {0};
void index_from_state(struct Packet p) {
  counts[slots[0]] = counts[slots[0]] + 1;
  places[slot]++;
  sums[slots[0] + 1] += p.a & 15;
  if (p.b > 5) {
    p.out = last[slot];
  }
  last[slot] = p.a;
  p.seen = counts[slots[0]] + places[slot];
  slot += p.b & 3;
}
