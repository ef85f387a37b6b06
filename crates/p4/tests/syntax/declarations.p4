// Every kind of declaration.
error { OutOfBadges, TooYoung }
match_kind { nearest, widest, }
const bit<(4 + 4)> eight = 8w0x08;
const int unlimited = -5;
typedef bit<9> port_t;
type bit<32> Address;
typedef struct pair { bit x; int<7> y; } pair_t;
@controller("in") header lone_t { varbit<320> options; bit<8>[4] rest; }
header label_t<T> { bit<20> label; T inner; }
header_union either_t { lone_t a; label_t<bit<8>> b; }
enum Colour { Red, Green, Blue, }
enum bit<8> Kind { one = 1, two = 2 + eight }
struct everything { tuple<bit<8>, bool> two; list<string> names; .port_t port; either_t[3] stack; error e; }
extern packet_in { void extract<T>(out T into); }
extern void digest_of<T, R>(in T data, out R result);
extern R first<R>(list<R> all);
extern Later;
extern Table<K, V> {
    Table(bit<32> size);
    @pure V get(in K key, @optional in V otherwise = 3);
    abstract void miss(inout K key);
    R convert<R>(in V value);
}
parser Read<H>(packet_in packet, out H headers);
control Work<H, M>(inout H headers, inout M meta);
package Switch<H, M>(Read<H> read, Work<H, M> work = {}, Table<H, M> table_of);

bit<8> larger(in bit<8> a, in bit<8> b) { if (a > b) return a; return b; }

action forget() { }

parser Two(packet_in packet, out everything all)(bit<8> limit) {
    const bit<8> most = 2;
    bit<8> seen = 0;
    value_set<bit<16>>(4) doors;
    Table<bit<8>, bit>(32) memory;
    @name("begin") state start {
        packet.extract<lone_t>(all.stack[0].a);
        seen = seen + 1;
        transition select(seen, all.two[0:0]) {
            (1, _): next;
            (0x10 &&& 0xf0, 2 .. 5): next;
            (default, Colour.Red): accept;
            doors: next;
            (bit<8>)3: reject;
            (seen) + 1: reject;
            default: accept;
        }
    }
    state next { transition accept; }
    state stuck { { bit<4> n = 1; n |-|= 2; } }
}

control Route(inout everything all, in bit<9> port)(Table<bit<8>, bit> known, bit<8> ways) {
    Table<bit<8>, bit>(16) counts = {
        void miss(inout bit<8> key) { this.get(key); }
    };
    @hidden action send(bit<9> to, inout bit<8> ttl) { ttl = ttl |-| 1; }
    action drop(@optional bit<9> to) { exit; }
    table routes {
        key = {
            all.e: exact;
            (port & 3): ternary @name("low bits");
        }
        actions = { send(all.stack[0].b.inner); @defaultonly drop; .forget(); }
        const default_action = drop(_);
        @size_note largest_priority_first = false;
        const entries = {
            (error.NoError, 1): send(1);
            const priority = 10 : (error.TooYoung, 2 &&& 2): drop(2) @note["x", 3];
            priority = (eight + 1): (_, _): drop(3);
        }
        size = 1024;
        proprietary = { a = 1, b = {2, 3}, ... };
    }
    apply {
        switch (routes.apply().action_run) { send: drop: { all.two = {1, true}; } default: { } }
    }
}

Switch<everything, bit<8>>(Two(limit = 3), Route(Table<bit<8>, bit>(3), 2)) main;
