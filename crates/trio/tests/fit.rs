//! What fits in a word, and what is refused with what it needs and what there is.

use std::collections::BTreeMap;

use diagnostics::Sources;
use trio::{Image, Parameters, Units};

/// Compiles a program with one instruction of interest, called `it`.
fn compile(statements: &str) -> (Sources, microcode::Compiled) {
    let text = format!(
        "struct h_t {{ a : 8; b : 24; c : 32; d : 64; e : 32; f : 48; }};
         struct far_t {{ x : 32; : 512; y : 32; : 512; z : 32; }};
         const h_t *h = packet_start; const far_t *far = packet_start;
         register : 32 p, q, r, s, t; register : 64 w, x; register h_t *ptr; register bool flag; register label l;
         memory : 32 m[16]; sram : 64 word;
         on packet goto it;
         it: begin {statements} end
         next: begin exit; end"
    );
    let mut sources = Sources::new();
    let none: BTreeMap<String, String> = BTreeMap::new();
    let compiled = microcode::compile(&mut sources, "test.mc", &text, &none);
    let compiled = compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
    (sources, compiled)
}

/// Returns what an instruction uses.
fn units(statements: &str) -> Units {
    let image = Image::new(&compile(statements).1.program, &Parameters::default(), Vec::new());
    let image = image.unwrap_or_else(|misfits| panic!("{statements}: {misfits:?}"));
    image.words()[0].units()
}

/// Returns the messages of an instruction that does not fit.
fn misfits(statements: &str) -> Vec<String> {
    let found = Image::new(&compile(statements).1.program, &Parameters::default(), Vec::new());
    found.expect_err(statements).into_iter().map(|misfit| misfit.message).collect()
}

#[test]
fn units_are_counted() {
    for (statements, expected) in [
        ("", Units { targets: 1, ..Units::default() }),
        ("p = q;", Units { register_reads: 1, register_writes: 1, move_alus: 1, targets: 1, ..Units::default() }),
        // A whole register takes two move ALUs, and so does a field of 48 bits.
        ("w = x;", Units { register_reads: 1, register_writes: 1, move_alus: 2, targets: 1, ..Units::default() }),
        ("h->f = w;", Units { register_reads: 1, memory_writes: 1, move_alus: 2, targets: 1, ..Units::default() }),
        // One operation is done in the move ALU, the second one before it in a condition ALU.
        ("p = q + r;", Units { register_reads: 2, register_writes: 1, move_alus: 1, targets: 1, ..Units::default() }),
        (
            "p = (q + r) ^ s;",
            Units {
                register_reads: 3,
                register_writes: 1,
                move_alus: 1,
                condition_alus: 1,
                targets: 1,
                ..Units::default()
            },
        ),
        // Fields, shifts by constants, powers of two and masks only place bits.
        (
            "p = (q & 0xff) * 4 + (r >> 8);",
            Units { register_reads: 2, register_writes: 1, move_alus: 1, constants: 0, targets: 1, ..Units::default() },
        ),
        // Fields within 8 bytes share a read; a constant is counted once.
        (
            "if (h->a == 4 && h->b == 4 && h->c == 0) goto it;",
            Units { memory_reads: 1, condition_alus: 3, constants: 1, targets: 2, ..Units::default() },
        ),
        (
            "p = h->a + h->e;",
            Units { memory_reads: 2, register_writes: 1, move_alus: 1, targets: 1, ..Units::default() },
        ),
        // The same comparison is done once.
        (
            "if (p == 3) q = 1; if (p == 3 && flag) goto it;",
            Units {
                register_reads: 2,
                register_writes: 1,
                move_alus: 1,
                condition_alus: 2,
                constants: 2,
                targets: 2,
                ..Units::default()
            },
        ),
        // Comparing 64 bits takes two condition ALUs.
        ("if (w == x) goto it;", Units { register_reads: 2, condition_alus: 2, targets: 2, ..Units::default() }),
        // A pointer register gives an address, and takes no read slot.
        (
            "p = (ptr + 4)->c;",
            Units { memory_reads: 1, pointers: 1, register_writes: 1, move_alus: 1, targets: 1, ..Units::default() },
        ),
        // Constants that a transaction carries are part of its request.
        ("MemWrite(word, 77);", Units { targets: 1, ..Units::default() }),
        (
            "MemRead(word + p);",
            Units { register_reads: 1, condition_alus: 1, constants: 1, targets: 1, ..Units::default() },
        ),
        ("goto l;", Units { register_reads: 1, targets: 1, ..Units::default() }),
    ] {
        assert_eq!(units(statements), expected, "{statements}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_what_it_needs() {
    for (statements, expected) in [
        ("p = 1; q = 2; r = 3;", "`it` needs 3 writes, a word has 2"),
        ("m[0] = far->x; m[1] = far->y; m[2] = far->z;", "`it` needs 6 read slots, a word has 4"),
        ("p = far->x + q; r = far->y;", "`it` needs 5 read slots, a word has 4"),
        ("w = x; h->d = (: 64) q; h->c = r;", "`it` needs 5 move ALUs, a word has 4"),
        ("if (p == 1 || p == 2 || p == 3 || p == 4 || p == 5) goto it;", "`it` needs 5 condition ALUs, a word has 4"),
        ("p = s ^ (t + 0x2222) ^ 0x33330000;", "more operations one after the other"),
        (
            "p = 0x11; q = 0x22 + (r ^ 0x33) ; if (s == 0x44 || s == 0x55) goto it;",
            "`it` needs 5 constants, a word has 4",
        ),
        ("p = q + r + s + t;", "more operations one after the other"),
        ("if (p + 1 == q) goto it;", "more operations one after the other"),
        ("w = w + x;", "an operation on 64 bits; an ALU has 32"),
        ("if (w < x) goto it;", "an operation on 64 bits; an ALU has 32"),
        ("p = q * r;", "no ALU multiplies"),
        ("p = q / 3;", "no ALU divides"),
        ("p = m[q & 15];", "an address that is computed"),
        ("switch (p & 15) { case 0: case 1: case 2: goto it; default: goto l; }", ""),
    ] {
        if expected.is_empty() {
            units(statements);
            continue;
        }
        let found = misfits(statements);
        assert!(found.iter().any(|message| message.contains(expected)), "{statements}: {found:?}");
    }
}

#[test]
fn a_branch_has_eight_targets() {
    let ways = |count: u32| {
        let labels: String = (0..count).map(|way| format!("l{way}: begin exit; end ")).collect();
        let cases: String = (0..count - 1).map(|way| format!("case {way}: goto l{way}; ")).collect();
        let text = format!(
            "register : 32 p; on packet goto it;
             it: begin switch (p) {{ {cases} default: goto l{}; }} end {labels}",
            count - 1
        );
        let mut sources = Sources::new();
        let none: BTreeMap<String, String> = BTreeMap::new();
        let program = microcode::compile(&mut sources, "test.mc", &text, &none).expect("it is valid").program;
        Image::new(&program, &Parameters { condition_alus: 16, constants: 16, ..Parameters::default() }, Vec::new())
    };
    assert!(ways(8).is_ok());
    assert_eq!(ways(9).unwrap_err()[0].message, "`it` needs 9 targets, a word has 8");
}

#[test]
fn misfits_are_shown_at_their_instruction() {
    let (sources, compiled) = compile("p = 1; q = 2; r = 3; s = t * t;");
    let found = Image::new(&compiled.program, &Parameters::default(), Vec::new()).expect_err("it does not fit");
    let mut shown = diagnostics::Diagnostics::new();
    shown.extend(found.iter().map(|misfit| misfit.diagnostic(&compiled.places)));
    let text = shown.render(&sources, false);
    assert!(text.contains("test.mc:7:14"), "{text}");
    assert_eq!(found.len(), 2, "{text}");
}

#[test]
fn a_thread_has_so_many_registers() {
    let names: Vec<String> = (0..33).map(|number| format!("r{number}")).collect();
    let moves: String = names.iter().map(|name| format!("begin {name} = 1; end ")).collect();
    let text = format!("register : 8 {}; on packet goto it; it: {moves} begin exit; end", names.join(", "));
    let mut sources = Sources::new();
    let none: BTreeMap<String, String> = BTreeMap::new();
    let program = microcode::compile(&mut sources, "test.mc", &text, &none).expect("it is valid").program;
    let found = Image::new(&program, &Parameters::default(), Vec::new()).expect_err("too many");
    assert_eq!(found[0].message, "the program needs 33 registers, a thread has 32");
    assert!(Image::new(&program, &Parameters { registers: 33, ..Parameters::default() }, Vec::new()).is_ok());
}
