#include <core.p4>
#include <v1model.p4>
struct none_t { }
parser P(packet_in p, out none_t h, inout none_t m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout none_t h, inout none_t m) { apply { } }
control I(inout none_t h, inout none_t m, inout standard_metadata_t s) { apply { s.egress_spec = 9w1 - s.ingress_port; } }
control E(inout none_t h, inout none_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in none_t h) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
