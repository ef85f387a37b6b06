#define BROKEN (p.a + 
#define FIELD p.missing
#define MAX(x, y) ((x) > (y) ? (x) : z)
struct Packet { int a; };
void packet(struct Packet p) {
  p.a = FIELD;
  p.a = MAX(p.a, p.b);
  p.a = BROKEN;
}
