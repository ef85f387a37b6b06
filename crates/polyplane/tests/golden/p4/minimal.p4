// command: polyplane compile $FILE --emit preprocessed
// command: polyplane compile $FILE --emit parsed -D PORT=7
// command: polyplane compile $FILE --emit ir -D PORT=7 -I $FOLDER
#ifndef PORT
#define PORT 1
#endif
struct nothing_t { }
@pure extern bit<9> same(in bit<9> port);
const bit<9> there = PORT;
