// command: polyplane run $FILE --out-dir $OUT
#define N 16
struct Packet {
  int sport;
  int id;
  char c;
};

int counts[N] = {0};
int total

void program(struct Packet p) {
  p.id = p.sprt % N;
  for (;;) {}
  counts[p.id] += x;
  p.id = 5 +;
  p.id = unknown(3);
}
