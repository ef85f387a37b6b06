// command: polyplane compile $FILE --machine mp5
struct Packet { int a; int b; };
int counts[16] = {0};
void two_indices(struct Packet p) {
  counts[p.a] = counts[p.b] + 1;
}
