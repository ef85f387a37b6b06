// command: polyplane run $FILE --machine mp5 --pipelines 2 --traffic $FOLDER/counts.csv --out-dir $OUT
// command: polyplane run $FILE --machine banzai --pipelines 2 --traffic $FOLDER/counts.csv --json
// command: polyplane run $FILE --machine recirculating --pipelines 2 --ports 2 --traffic $FOLDER/counts.csv --json
struct Packet { int group; int number; };
int counts[4] = {10};
void counts_(struct Packet p) {
  counts[p.group] = counts[p.group] + 1;
  p.number = counts[p.group];
}
