//! Every kind of value at every place that takes one. The compiler refuses a program with a reason, or it returns a valid
//! program, which prints, parses back and runs. Conditions as operands of transactions once made invalid programs.

mod common;

use common::running::Running;

const DECLARATIONS: &str = "struct k { a : 32; b : 16; }; dram hash : 64 h[16] key k; dram hash : 64 n[16] key : 8;
    filter : 8 f[8] key k; filter : 8 g[8] key : 8; sram counter_t c[2]; policer p[2]; sram : 64 w[4];
    register : 32 r; register int : 16 s; register bool t; register label l; register k * q; memory k m; memory : 8 b[8];
    reason gone; timer tick every 1000; digest k d; digest : 1 e; on packet goto start; on timer tick goto start;\n";

/// Values of each type, known when the program is compiled and not.
const VALUES: [&str; 26] = [
    "0",
    "1",
    "-1",
    "64",
    "0xffffffffffffffff",
    "true",
    "!1",
    "r",
    "(: 3) r",
    "(: 64) r",
    "(: 1) r",
    "s",
    "-s",
    "t",
    "!r",
    "!t",
    "r == 1",
    "t && r < 2",
    "t ? r : 1",
    "t ? t : !r",
    "l",
    "next",
    "q",
    "&m",
    "m",
    "packet_start",
];

/// Places of a value, each in an instruction of its own.
const PLACES: [&str; 54] = [
    "MemRead(§);",
    "MemRead(§, b, 8);",
    "MemRead(0, §, 8);",
    "MemRead(0, b, §);",
    "MemRead(&w[§]);",
    "MemWrite(§, 1);",
    "MemWrite(0, §);",
    "MemWrite(0, §, 8);",
    "MemWriteMasked(0, §, 1);",
    "MemWriteMasked(0, 1, §);",
    "MemAdd32(0, §);",
    "sync MemAdd32(§, 1);",
    "MemFetchXor(0, §);",
    "MemFetchSwap(§, 1);",
    "CounterIncPhys(&c[§], 1);",
    "CounterIncPhys(&c[0], §);",
    "PolicerCheckPhys(&p[0], §);",
    "PolicerCheckPhys(&p[§], 1);",
    "PolicerCheckPhys(&p[0], 1, §);",
    "HashLookup(h, §, 1);",
    "HashLookup(h, 1, §);",
    "HashLookup(h, §);",
    "HashLookup(n, §);",
    "HashInsert(h, §, &m);",
    "HashInsert(n, 1, §);",
    "HashDelete(n, §);",
    "HashRemove(h, §);",
    "HashScan(h, §, 1);",
    "HashScan(h, 0, §);",
    "HashFields(§);",
    "HashFields(§, 8);",
    "HashFields(1, §, r);",
    "FilterLookup(f, §, 1);",
    "FilterLookup(g, §);",
    "TailRead(§, 0, b, 8);",
    "TailRead(this_packet, §, b, 8);",
    "TailWrite(this_packet, §, b, 8);",
    "TailCut(this_packet, §);",
    "PacketMake(§);",
    "PacketSend(§, 0, 0, packet_start, 1);",
    "PacketSend(this_packet, §, 0, packet_start, 1);",
    "PacketSend(this_packet, 0, §, packet_start, 1);",
    "PacketSend(this_packet, 0, 0, §, 1);",
    "PacketSend(this_packet, 0, 0, packet_start, §);",
    "PacketMulticast(this_packet, §, packet_start, 1);",
    "DigestSend(d, §, 1);",
    "DigestSend(e, §);",
    "TimerStart(tick, §);",
    "b[§] = 1;",
    "r = 1 << §;",
    "r = § >> 1;",
    "switch (§) { case 1: goto next; default: break; }",
    "if (§) { r = 1; }",
    "const : v = §; r = v; t = v; s += v;",
];

/// Compiles a program that may be refused; what is accepted must run.
fn check(text: &str) -> bool {
    match common::try_compile(text) {
        Ok((program, _)) => {
            let printed = program.to_string();
            let read =
                ir::parse::program("test", &printed).unwrap_or_else(|error| panic!("{text}\n{error}\n{printed}"));
            assert_eq!(read, program, "{text}");
            let mut running = Running::new(program);
            running.code.limit = 1000;
            for bytes in [&[][..], &[0xff; 64]] {
                running.packet(1, bytes);
            }
            true
        }
        Err(errors) => {
            assert!(errors.contains("error"), "refused without a reason:\n{text}");
            false
        }
    }
}

#[test]
fn any_value_at_any_place_is_refused_or_means_something() {
    for place in PLACES {
        let accepted = VALUES.iter().filter(|value| {
            let body = place.replace('§', value);
            check(&format!("{DECLARATIONS}start: begin {body} end begin goto next; end next: begin exit; end\n"))
        });
        assert!(accepted.count() > 0, "no value is accepted in {place}");
    }
}

#[test]
fn any_value_can_tell_flows_apart_or_is_refused() {
    let accepted = VALUES.iter().filter(|value| {
        check(&format!("{DECLARATIONS}flow ({value}, r);\nstart: begin exit; end next: begin exit; end\n"))
    });
    assert!(accepted.count() > 0, "no value is accepted");
}
