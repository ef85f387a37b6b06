// command: polyplane compile $FILE
#include "bad_header.h"
struct Packet { int a; };
void macro(struct Packet p) {
  p.a = TWICE(p.b);
}
