// command: polyplane compile $FILE
struct Packet { int a; int b; };
void no_such_operation(struct Packet p) {
  p.a = p.a / p.b;
}
