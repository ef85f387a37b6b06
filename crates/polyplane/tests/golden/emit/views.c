// command: polyplane compile $FILE --machine mp5 --emit dependencies-dot
// command: polyplane compile $FILE --machine mp5 --emit stages-dot
// command: polyplane compile $FILE --machine mp5 --atom rw --emit smt
struct Packet { int key; int value; };
int last[32] = {0};
void views(struct Packet p) {
  last[p.key & 31] = p.value;
  p.value = p.value ^ p.key;
}
