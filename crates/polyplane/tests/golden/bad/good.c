struct Packet { int sport; int n; };
int count = 0;
void good(struct Packet p) {
  count = count + 1;
  p.n = count;
}
