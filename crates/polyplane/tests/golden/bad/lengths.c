// command: polyplane compile $FILE
struct Packet { int a; };
int half[2147483648];
int whole[65536 * 65536];
int bits[0xffffffff];
int large[1 << 27];
int none[0];
int less[3 - 5];
void lengths(struct Packet p) {
  half[p.a] = whole[p.a] + bits[p.a] + large[p.a] + none[p.a] + less[p.a];
}
