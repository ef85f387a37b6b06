// command: polyplane compile $FILE --emit source
// command: polyplane compile $FILE --emit if_conversion
// command: polyplane compile $FILE --emit three_address
// command: polyplane compile $FILE --emit single_assignment
// command: polyplane compile $FILE --emit propagation
// command: polyplane compile $FILE --emit common_subexpressions
// command: polyplane compile $FILE --emit dead_code
// command: polyplane compile $FILE --emit hoisting
// command: polyplane compile $FILE --emit simplification
// command: polyplane compile $FILE --emit atom_mapping
// command: polyplane compile $FILE --emit schedule
// command: polyplane compile $FILE --emit pipeline
// command: polyplane compile $FILE --machine mp5 --emit address_resolution
struct Packet { int key; int value; int first; };
int best[32] = {-1};
void each_pass(struct Packet p) {
  int slot = p.key % (16 * 2);
  p.first = 0;
  if (best[slot] < 0 && p.value > 1 + 1) {
    best[slot] = p.value;
    p.first = 1;
  }
}
