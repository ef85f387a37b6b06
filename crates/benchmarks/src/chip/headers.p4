// The router that `polyplane-bench` measures on two architectures, so that what they cost can be compared: the text of
// headers.p4 with that of tna.p4 or v1model.p4 behind it. An access list denies packets or puts them into classes, each with a
// meter of bytes; the longest prefix leads to a next hop, each with a meter of packets that takes the colour of the class into
// account. Red packets are dropped. A register numbers the packets of each next hop, and their identification says the number.
// Egress sets the source address of the port.
#include <core.p4>

typedef bit<48> mac_t;
typedef bit<32> address_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;
typedef bit<8> class_t;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    address_t source;
    address_t destination;
}

header ports_t {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}
