#define TWICE(x) ((x) + (y))
