#define SIZE 4
struct Packet { int a; int a; };
int zero[0];
int negative[SIZE - 5];
int huge[1 << 27];
int many[SIZE] = {1, 2, 3, 4, 5};
int scalar = 3;
int copy = scalar;
int braces[3] = 7;
int unknown[];
int scalar[2];
int hash2 = 1;
int divided = 1 / 0;
void packet(struct Packet p) { p.a = many[0]; }
