struct Packet { int a; };
void ingress(struct Packet p) { p.a = 1; }
int egress(struct Packet p, int port) { p.a = port; }
