struct Packet { int a; };
int f0(int x) { return x * 3 + x; }
int f1(int x) { return f0(x) + f0(x + 1) + f0(x + 2) + f0(x + 3); }
int f2(int x) { return f1(x) + f1(x + 1) + f1(x + 2) + f1(x + 3); }
int f3(int x) { return f2(x) + f2(x + 1) + f2(x + 2) + f2(x + 3); }
int f4(int x) { return f3(x) + f3(x + 1) + f3(x + 2) + f3(x + 3); }
int f5(int x) { return f4(x) + f4(x + 1) + f4(x + 2) + f4(x + 3); }
int f6(int x) { return f5(x) + f5(x + 1) + f5(x + 2) + f5(x + 3); }
int f7(int x) { return f6(x) + f6(x + 1) + f6(x + 2) + f6(x + 3); }
int f8(int x) { return f7(x) + f7(x + 1) + f7(x + 2) + f7(x + 3); }
void packet(struct Packet p) { p.a = f8(p.a); }
