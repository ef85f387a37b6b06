struct Pkt { int a; };
struct Other { int b; };
int count(int a) { return a; }
