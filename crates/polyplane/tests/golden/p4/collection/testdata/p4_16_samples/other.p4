#include <core.p4>
extern void other();
