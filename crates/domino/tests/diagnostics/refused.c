// What C has and Domino has not.
#include <stdio.h>
typedef int word;
unsigned int total;
const int LIMIT = 5;
float rate = 1.5;
int table[4][4];
struct Packet { int length; int *next; char tag; int pads[4]; };
static int helper(int *x) { return 0; }
void packet(struct Packet p) {
  for (int i = 0; i < 4; i++) { total += i; }
  while (total > 3) total -= 1;
  switch (p.length) { case 1: total = 1; break; default: total = 2; }
  int x = sizeof(total);
  p->length = 3;
  x = &total;
  total = x++ + 3;
  total = (x, 4);
  if (total = 3) x = 1;
  total = "text";
  goto end;
  x = 3u + 08 + 99999999999;
}
