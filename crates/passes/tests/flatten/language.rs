//! Tests of language features that pipelines do not have: each is rewritten, and compared with the switch on random
//! packets.

use basis::Random;

use crate::held::Held;
use crate::load::load;

/// The parts of a program with a header of eight bytes; empty by default.
pub struct Parts {
    /// The declarations before the parser.
    pub declarations: &'static str,
    /// Further members of the headers, and below of the metadata.
    pub headers: &'static str,
    pub metadata: &'static str,
    /// The parser states that follow the one that extracts the header.
    pub states: &'static str,
    /// The declarations of ingress, and below its statements.
    pub locals: &'static str,
    pub ingress: &'static str,
    pub egress: &'static str,
    /// The statements of the deparser before the header is emitted.
    pub emitted: &'static str,
}

pub const NOTHING: Parts =
    Parts { declarations: "", headers: "", metadata: "", states: "", locals: "", ingress: "", egress: "", emitted: "" };

pub fn program(parts: &Parts) -> String {
    let Parts { declarations, headers, metadata, states, locals, ingress, egress, emitted } = parts;
    let states = if states.is_empty() { "state next { transition accept; }" } else { states };
    format!(
        "#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<16> c; bit<32> d; }}
{declarations}
struct headers_t {{ h_t h; {headers} }}
struct metadata_t {{ bit<8> unused; {metadata} }}
parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    {states}
    state start {{ packet.extract(hdr.h); transition next; }}
}}
control Verify(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    {locals}
    apply {{ std.egress_spec = 1; {ingress} }}
}}
control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{ apply {{ {egress} }} }}
control Compute(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
control Write(packet_out packet, in headers_t hdr) {{ apply {{ {emitted} packet.emit(hdr.h); }} }}
V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
"
    )
}

/// Compares a program with the switch on packets of mostly small numbers, which reach branches that random bytes rarely
/// do.
fn same(parts: &Parts) {
    let (program, info) = load("test.p4", &program(parts));
    let mut held = Held::new(&program, &info);
    let mut random = Random::new(11);
    for _ in 0..300 {
        let length = random.below(48) as usize;
        let byte = |random: &mut Random| if random.chance(0.7) { random.below(5) as u8 } else { random.bits() as u8 };
        let bytes: Vec<u8> = (0..length).map(|_| byte(&mut random)).collect();
        let port = random.below(4) as u16;
        held.packet(port, &bytes).unwrap_or_else(|difference| panic!("{difference}\n{program}"));
    }
    assert!(held.transmitted > 20, "most packets leave");
}

#[test]
fn returns_and_exits_still_copy_results_out() {
    same(&Parts {
        declarations: "bit<8> twice(in bit<8> value) { if (value > 100) { return 7; } return value + value; }
            control Part(inout bit<8> value, inout bit<16> also) {
                action leave(inout bit<16> to) { to = to + 3; exit; }
                apply {
                    if (value == 1) { return; }
                    value = value + 1;
                    if (value == 3) { leave(also); }
                    if (value == 4) { also = 9; return; } else { also = also + 1; }
                    value = value ^ 0x40;
                }
            }",
        locals: "Part() part; Part() other;",
        ingress: "hdr.h.d = 1; part.apply(hdr.h.a, hdr.h.c); hdr.h.b = twice(hdr.h.b);
            if (hdr.h.a == hdr.h.b) { exit; } other.apply(hdr.h.b, hdr.h.c); hdr.h.d = 2;",
        // An exit in ingress does not end egress.
        egress: "hdr.h.d = hdr.h.d + 16; if (hdr.h.c == 0) { exit; } hdr.h.d = hdr.h.d + 32;",
        ..NOTHING
    });
}

#[test]
fn unrolls_loops_with_known_bounds() {
    same(&Parts {
        declarations: "header word_t { bit<16> value; }",
        headers: "word_t[3] words;",
        states: "state next {
                packet.extract(hdr.words.next);
                transition select(hdr.words.lastIndex) { 2: accept; default: next; }
            }",
        ingress: "bit<8> found = 99;
            for (bit<8> i = 0; i < 5; i = i + 1) {
                if (i == hdr.h.a) { found = i; break; }
                if (i == hdr.h.b) { continue; }
                hdr.h.c = hdr.h.c + 1;
            }
            hdr.h.d[7:0] = found;
            for (bit<2> at in 2w0 .. 2w2) {
                if (hdr.words[at].isValid() && hdr.words[at].value == 0) { hdr.words[at].value = hdr.h.c; }
            }",
        emitted: "packet.emit(hdr.words);",
        ..NOTHING
    });
}

#[test]
fn run_time_indices_into_stacks_become_choices() {
    same(&Parts {
        declarations: "header byte_t { bit<7> value; bit<1> last; }",
        headers: "byte_t[4] stack;",
        metadata: "bit<8> at;",
        states: "state next {
                packet.extract(hdr.stack.next);
                transition select(hdr.stack.last.last) { 0: next; default: accept; }
            }",
        ingress: "bit<8> index = hdr.h.a;
            hdr.h.b = (bit<8>)hdr.stack[index[1:0]].value;
            hdr.stack[index].value = 33;
            if (hdr.h.c == 1) { hdr.stack[hdr.h.b[1:0]].setInvalid(); }
            if (hdr.h.c == 2) { hdr.stack[index].setValid(); }
            if (hdr.h.c == 3) { hdr.stack.push_front(1); hdr.stack[0].setValid(); hdr.stack[0].value = 5; }
            if (hdr.h.c == 4) { hdr.stack.pop_front(2); }
            meta.at = hdr.h.a;
            if (std.parser_error == error.StackOutOfBounds) { hdr.h.d = 77; }",
        emitted: "packet.emit(hdr.stack);",
        ..NOTHING
    });
}

#[test]
fn inlines_parsers_that_may_reject() {
    same(&Parts {
        declarations: "header pair_t { bit<8> x; bit<8> y; }
            struct two_t { pair_t one; pair_t two; }
            parser Inner(packet_in packet, out two_t pairs, inout bit<8> turns) {
                state start {
                    turns = turns + 1;
                    packet.extract(pairs.one);
                    verify(pairs.one.x != 2, error.HeaderTooShort);
                    transition select(pairs.one.y) { 0: accept; 1 .. 2: second; 3: reject; }
                }
                state second { turns = turns + 16; packet.extract(pairs.two); transition accept; }
            }",
        headers: "two_t first; two_t second;",
        metadata: "bit<8> turns;",
        states: "Inner() inner;
            state next {
                inner.apply(packet, hdr.first, meta.turns);
                transition select(hdr.first.one.x, meta.turns) { (0, _): again; (_, 1): accept; default: reject; }
            }
            state again { inner.apply(packet, hdr.second, meta.turns); transition accept; }",
        ingress: "hdr.h.b = meta.turns; hdr.h.d = (bit<32>)hdr.second.two.x;
            if (std.parser_error != error.NoError) { hdr.h.c = 0xFFFF; }
            if (std.parser_error == error.NoMatch) { hdr.h.c = 0xFFFE; }",
        emitted: "packet.emit(hdr.first); packet.emit(hdr.second);",
        ..NOTHING
    });
}

#[test]
fn copies_results_out_if_the_inner_parser_rejects() {
    same(&Parts {
        // Both arguments are the same variable: each parameter has a copy of its own, and the last one copied out
        // counts.
        declarations: "parser Both(packet_in packet, inout bit<8> one, inout bit<8> other) {
                state start {
                    one = one + 1;
                    packet.advance(8);
                    other = other + 2;
                    transition select(one) { 3: reject; 4: more; default: accept; }
                }
                state more { other = other + 16; packet.advance(64); other = other + 32; transition accept; }
            }",
        states: "Both() both; state next { both.apply(packet, hdr.h.a, hdr.h.a); transition accept; }",
        ingress: "if (std.parser_error != error.NoError) { hdr.h.c = 0xFFFF; }",
        ..NOTHING
    });
}

#[test]
fn unrolls_parsers_that_count() {
    same(&Parts {
        declarations: "header byte_t { bit<8> value; }",
        headers: "byte_t byte;",
        metadata: "bit<8> left; bit<8> sum;",
        states: "state next { meta.left = 3; transition more; }
            state more { packet.extract(hdr.byte); meta.sum = meta.sum + hdr.byte.value; meta.left = meta.left - 1;
                transition select(meta.left) { 0: accept; default: more; } }",
        ingress: "hdr.h.a = meta.sum; hdr.h.b = meta.left;",
        ..NOTHING
    });
}

#[test]
fn fields_of_new_headers_are_as_on_the_switch() {
    same(&Parts {
        declarations: "header more_t { bit<8> x; bit<16> y; varbit<32> z; }",
        headers: "more_t more; more_t copy;",
        states: "state next { packet.extract(hdr.more, (bit<32>)hdr.h.a[1:0] * 8); transition accept; }",
        ingress: "if (hdr.h.b == 0) { hdr.more.setInvalid(); }
            if (hdr.h.b == 1) { hdr.more.setInvalid(); hdr.more.setValid(); hdr.more.x = 3; }
            if (hdr.h.b == 2) { hdr.more.setValid(); }
            if (hdr.h.c == 0) { hdr.copy = hdr.more; }
            if (hdr.h.c == 1) { hdr.copy.setValid(); hdr.copy.y = 7; }",
        // The length shows which headers ingress made valid.
        egress: "hdr.h.d = std.packet_length; if (hdr.more.isValid() && hdr.more.x == 4) { mark_to_drop(std); }",
        emitted: "packet.emit(hdr.more); packet.emit(hdr.copy);",
        ..NOTHING
    });
}
