// command: polyplane compile $FILE --machine mp5
// A condition and an index that depend on state.
struct Packet { int key; int big; int place; };
int seen[64] = {0};
int last[16] = {0};
int total = 0;
void known_late(struct Packet p) {
  seen[p.key % 64] = seen[p.key % 64] + 1;
  p.big = seen[p.key % 64] > 10;
  if (p.big) {
    total = total + 1;
  }
  p.place = seen[p.key % 64];
  last[p.place] = p.key;
}
