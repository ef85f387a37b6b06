struct Packet { int a; };
int total;
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int loop(int n) { return loop(n); }
int count(int n) { total += n; return total; }
void nothing(int n) { total = n; return 5; }
int something(int n) { return; }
int declared(int n);
void packet(struct Packet p) {
  p.a = even(3) + loop(4);
  p.a = count(1) + total;
  p.a = nothing(2);
  packet(3);
  p.a = total(1);
  if (count(1)) p.a = p.a ? count(2) : 0;
}
