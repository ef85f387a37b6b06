//! Checksums over payloads, selectors, direct meters and invisible random draws, which random programs rarely reach.

use basis::{Instant, Random};
use ir::VariableId;
use ir::interpret::Ending;
use runtime::profile::Member;
use runtime::tables::Target;
use runtime::{Bits, GroupMember, MeterRates, ProgramState};

use crate::pair::Pair;

fn pair(text: &str, change: impl FnOnce(&mut ProgramState)) -> Pair {
    let text = text.replace("ERRORS", &format!("errors {}", ir::CORE_ERRORS.join(", ")));
    Pair::new(ir::parse::program("test.ir", &text).unwrap_or_else(|failure| panic!("{failure:?}\n{text}")), change)
}

fn run(pair: &mut Pair, entrance: &str) {
    let block = pair.entrance(entrance);
    let ending = pair.run(block).unwrap_or_else(|difference| panic!("{difference}\n{}", pair.program()));
    assert!(matches!(ending, Ending::Done | Ending::Rejected(_)));
}

#[test]
fn checksums_cover_fields_of_any_length_and_payload() {
    let mut text = String::from(
        "program checksums\nlocal a: bit<8>\nlocal b: bit<13>\nlocal c: bit<48>\nlocal d: bit<200>\nlocal n: bit<8>\n\
         local w: bit<100>\nlocal x: bit<64>\nheader h {\n  h.$valid: bool\n  h.skipped: bit<8>\n}\nERRORS\n\
         parser p {\n  state start {\n    extract h\n    advance h.skipped & 24u8\n    transition accept\n  }\n}\nfunction f {\n",
    );
    for name in runtime::checksum::Algorithm::NAMES {
        for data in ["", ", a", ", a, b", ", b, c: n, d: n, a", ", d, d: n, c", ", a: n, d", ", x, x: n, b, x"] {
            text.push_str(&format!("  w = checksum({name}, bit<100>{data})\n  x = x ^ w[63:0]\n"));
            text.push_str(&format!("  x = x + checksum_with_payload({name}, bit<64>{data})\n"));
        }
    }
    text.push_str("}\nentrance p = parser p\nentrance f = function f\n");
    let mut pair = pair(&text, |_| ());
    let mut random = Random::new(1);
    for round in 0..100 {
        let bytes: Vec<u8> = (0..random.below(30)).map(|_| random.bits() as u8).collect();
        pair.packet(&bytes);
        for (variable, width) in [(0, 8), (1, 13), (2, 48), (3, 200), (4, 8)] {
            let limbs = [random.bits(), random.bits(), random.bits(), random.bits()];
            // Zeros as well, whose one's complement sum has two representations.
            let limbs = if round % 4 == 0 { [0; 4] } else { limbs };
            pair.set(VariableId(variable), &Bits::from_limbs(&limbs, width));
        }
        run(&mut pair, "p");
        run(&mut pair, "f");
    }
}

#[test]
fn selectors_choose_the_same_member() {
    for (algorithm, selector) in [
        ("crc16", "x"),
        ("crc32", "x ++ wide"),
        ("identity", "wide"),
        ("random", "x"),
        ("csum16", "checksum(random, bit<32>)"),
    ] {
        let text = format!(
            "program selector\nlocal key: bit<8>\nlocal x: bit<16>\nlocal wide: bit<90>\nlocal out: bit<100>\nlocal hit: bool\n\
             local which: bit<32>\nlocal v: bit<100>\nprofile members: size 8 selection {algorithm}\n\
             counter hits: packets_and_bytes direct\n\
             action set(v) {{\n  out = v\n}}\naction none {{\n  out = 9u100\n}}\n\
             table t {{\n  key key: exact\n  action set\n  action none\n  default none()\n  profile members\n  selector {selector}\n\
             \x20 counter hits\n  entry 1 => group 1\n  entry 2 => member 2\n  entry 3 => group 3\n  entry 4 => member 7\n  entry 5 => group 5\n}}\n\
             function f {{\n  apply t -> hit, which\n}}\nentrance f = function f\n"
        )
        .replace("9u100", "bit<100>(9u8)");
        let mut pair = pair(&text, |state| {
            for id in 0..5 {
                let data = vec![Bits::from_limbs(&[u64::from(id), 5], 100)];
                state.profiles[0].insert_member(id, Member { action: 0, data }).unwrap();
            }
            state.profiles[0].insert_group(1, &[0, 1, 2, 3, 4].map(GroupMember::from), 0).unwrap();
            state.profiles[0].insert_group(3, &[], 0).unwrap();
            // The control plane may also set a group as the default.
            if selector == "wide" {
                state.tables[0].set_default(Target::Group(1));
            }
        });
        let mut random = Random::new(1);
        for _ in 0..60 {
            pair.packet(&[0; 40]);
            pair.set(VariableId(0), &Bits::from_u64(random.below(7), 8));
            pair.set(VariableId(1), &Bits::from_u64(random.bits(), 16));
            pair.set(VariableId(2), &Bits::from_limbs(&[random.bits(), random.bits()], 90));
            run(&mut pair, "f");
        }
    }
}

#[test]
fn direct_meter_colours_hits_only() {
    let text = "program meters\nlocal key: bit<100>\nlocal color: bit<70>\nlocal hit: bool\nmeter m: bytes direct\n\
                action none {\n}\ntable t {\n  key key: ternary\n  action none\n  default none()\n  meter m -> color\n\
                \x20 entry 1 &&& 1 => none() priority 1\n}\nfunction f {\n  apply t -> hit\n}\nentrance f = function f\n";
    let mut pair = pair(text, |state| {
        let entry = state.tables[0].matches().entries().next().expect("an entry").0;
        let rates = MeterRates { committed_rate: 10, committed_burst: 100, peak_rate: 20, peak_burst: 200 };
        state.tables[0].set_meter(entry, Some(rates)).unwrap();
    });
    let mut random = Random::new(1);
    for number in 0..100 {
        pair.now = Instant::from_microseconds(number * 300_000);
        pair.packet(&vec![0; random.below(80) as usize]);
        pair.set(VariableId(0), &Bits::from_limbs(&[random.bits(), random.bits()], 100));
        pair.set(VariableId(1), &Bits::from_limbs(&[7, 7], 70));
        run(&mut pair, "f");
    }
}

#[test]
fn log_values_without_placeholder_are_not_drawn() {
    let text = "program messages\nlocal n: bit<32>\nlocal w: bit<90>\nERRORS\ndigest d(a: bit<32>, b: bit<90>)\n\
                function f {\n  log \"one {} and no more\", checksum(random, bit<8>), checksum(random, bit<8>)\n\
                \x20 log \"none\", checksum(random, bit<8>)\n  random n, 3u32, 1000u32\n\
                \x20 random w, bit<90>(5u8), ~bit<90>(0u8)\n  random n, n, n - 1u32\n  digest d(n, w)\n  truncate w\n}\n\
                entrance f = function f\n";
    let mut pair = pair(text, |_| ());
    for _ in 0..20 {
        pair.packet(&[]);
        run(&mut pair, "f");
    }
}
