// The program of the MP5 paper's Figure 3: `mux` chooses whether a value of reg1 multiplies a value of reg3, or a
// value of reg2 is added to it.
//
// Multiplication and addition do not commute, so the final value of reg3 tells in which order packets came to it:
// for the figure's five packets 4 * 4 * 4 * 4 + 7 = 263 in order of arrival (the paper's text says 135, a slip), and
// (4 * 4 * 4 + 7) * 4 = 284 if packet E overtakes packet D.
//
// The update of reg3 is written as one multiplication and one addition, of which the branch that was not taken
// leaves the neutral element: what the atom `mul_acc` computes.
#define SIZE 4

struct Packet {
  int h1;
  int h2;
  int h3;
  int mux;
  int factor;
  int term;
  int result;
};

int reg1[SIZE] = {2, 4, 8, 16};
int reg2[SIZE] = {1, 3, 5, 7};
int reg3[SIZE] = {1};

void figure3(struct Packet packet) {
  if (packet.mux == 1) {
    packet.factor = reg1[packet.h1];
    packet.term = 0;
  } else {
    packet.factor = 1;
    packet.term = reg2[packet.h2];
  }
  reg3[packet.h3] = reg3[packet.h3] * packet.factor + packet.term;
  packet.result = reg3[packet.h3];
}
