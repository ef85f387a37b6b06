// command: polyplane compile $FILE --machine mp5
// command: polyplane check $FILE --machines banzai,mp5,recirculating --packets 100
struct Packet { int a; int out; };
void nothing_to_do(struct Packet p) {
  p.out = p.a;
}
