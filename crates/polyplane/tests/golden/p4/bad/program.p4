// command: polyplane compile $FILE
#include <core.p4>
#include <v1model.p4>
#include "absent.p4h"
#define TWICE(x) (x + y)

header one_t { bit<8> a; }
struct headers_t { one_t one; }
struct metadata_t { }

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.b = 1;
        hdr.one.a = TWICE(hdr.one.a);
    }
}
