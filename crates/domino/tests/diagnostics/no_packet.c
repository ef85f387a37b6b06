int count;
void packet(struct Paket p) { count += 1; }
