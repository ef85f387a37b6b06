struct Packet { int a; };
void packet(struct Packet p) {
  if (p.a) {
    p.a = 1;
