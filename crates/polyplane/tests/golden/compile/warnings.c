// command: polyplane compile $FILE
// The program is fine, and two things may not be meant.
struct Packet { int a; };
int hash2(int x, int y) { return x; }
void warnings(struct Packet p) { p.a = hash2(p.a, 4294967295); }
