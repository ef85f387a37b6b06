// Every place where the checker finds something out.
typedef bit<16> Port;
type bit<8> Level;
enum Colour { red, green }
enum bit<4> Kind { none = 0, some = 1 }
const Port HTTP = 80;
header Ethernet { bit<48> to; bit<48> from; bit<16> kind; }
header Options { bit<8> length; varbit<64> rest; }
header_union Either { Ethernet one; Options other; }
struct Pair<T> { T first; bit<8> second; }
struct Headers { Ethernet ethernet; Options options; Ethernet[2] more; Either either; }
struct Meta { Pair<bit<4>> pair; Level level; Colour colour; Kind kind; tuple<bit<8>, bool> both; }

extern Watcher<T> {
    Watcher(T first);
    abstract void seen(in T value);
    void look(in T value, @optional in bit<8> more);
}

bit<8> larger<T>(in T unused, in bit<8> one, in bit<8> other = 3) {
    return one > other ? one : other;
}

parser P(packet_in packet, out Headers h, inout Meta m, inout standard_metadata_t s) {
    value_set<Pair<bit<16>>>(4) known;
    bit<8> count = 0;
    state start {
        packet.extract(h.ethernet);
        h.more.next = { 1, 2, ... };
        transition select(h.ethernet.kind, m.pair.second) {
            (HTTP, 1 .. 3): next;
            (0x800 &&& 0xff00, _): next;
            known: accept;
            default: reject;
        }
    }
    state next {
        packet.extract(h.options, (bit<32>)(count ++ packet.lookahead<bit<8>>()));
        verify(h.options.length > 2, error.NoMatch);
        transition accept;
    }
}

control V(inout Headers h, inout Meta m) { apply { } }

control Sub(inout Meta m)(bit<8> size, int least) {
    apply { m.pair = { (bit<4>)size, least + 1 }; }
}

control I(inout Headers h, inout Meta m, inout standard_metadata_t s) {
    Sub(8, 3) sub;
    register<bit<8>>(16) cells;
    Watcher(8w1) watcher = { void seen(in bit<8> value) { this.look(value); } };
    action forward(inout bit<8> level, Port port) { s.egress_spec = (bit<9>)port; level = level |+| 1; }
    action drop() { mark_to_drop(s); exit; }
    table t {
        key = { h.ethernet.to: lpm; m.kind: exact; h.ethernet.isValid(): exact; m.both[0]: ternary @name("both"); }
        actions = { forward(m.pair.second); drop; @defaultonly NoAction; }
        default_action = NoAction;
        size = 64;
        largest_priority_wins = false;
        entries = {
            priority = 1: (0 &&& 0xff0000000000, Kind.some, true, _): forward(m.pair.second, HTTP);
            const priority = 10: (_, 0, false, 2): drop();
        }
    }
    apply {
        m.pair = { second = 1, first = m.kind == Kind.some ? 4w1 : 2 };
        m.both = { 1, m.colour == Colour.red };
        m.level = (Level)larger(m, other = 7, one = m.both[0]);
        cells.read(m.both[0], 3);
        h.more[1] = (Ethernet){ 1, 2, 3 };
        h.options = {#};
        h.either.one.setValid();
        h.ethernet.to[7:0] = 5;
        sub.apply(m);
        switch (t.apply().action_run) {
            forward: { hash(m.both[0], HashAlgorithm.crc16, 8w0, { h.ethernet.to, 16w2 }, 8w4); }
            drop:
            default: { log_msg("dropped {} {}", { m.both[0], 8w3 }); }
        }
        switch (m.kind) {
            Kind.none: { return; }
            default: { watcher.look(value = 2); }
        }
        for (bit<8> i in 1 .. 3) { if (t.apply().hit) { break; } else { m.pair.second += i; } }
        for (bit<8> i = 0; i < 4; i = i + 1) { digest(1, { i, h.ethernet.from }); }
    }
}

control E(inout Headers h, inout Meta m, inout standard_metadata_t s) { apply { } }

control K(inout Headers h, inout Meta m) {
    apply { update_checksum(h.ethernet.isValid(), { h.ethernet.to, 8w1 }, h.ethernet.kind, HashAlgorithm.csum16); }
}

control D(packet_out packet, in Headers h) { apply { packet.emit(h); } }

V1Switch(P(), V(), I(), E(), K(), D()) main;
