#define LIMIT 5
#define LIMIT 6
int unused;
int counter = 3000000000;
struct Packet { int a; };
int never(int x) { return x; }
int sometimes(int x) { if (x) return 1; }
void packet(struct Packet p) {
  int local = 4;
  p.a == LIMIT;
  counter;
  sometimes(p.a) + 1;
  if (p.a) { return; p.a = 3; }
  p.a = sometimes(2);
  return;
  counter = 1;
}
