struct Packet { int a; int b }
int state = 3
int other;
void packet(struct Packet p) {
  p.a = 3
  p.b = (p.a + 1;
  if p.a > 3 { other = 1; }
  p.a = + ;
  p.a 7;
  else p.b = 2;
  state = 5 $ 6;
  other = 'ab';
}
}
inty x;
