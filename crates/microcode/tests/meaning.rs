//! What expressions, fields and statements mean: computed by threads, and compared with the same in Rust.

mod common;

use common::compile;
use common::running::Running;
use ir::interpret::threads::{Fault, ThreadEnding};
use proptest::prelude::*;
use runtime::tables::MatchKind;

/// Runs a program whose thread finds `bytes` as its packet, and returns the bytes that it sends.
fn run(text: &str, bytes: &[u8]) -> Vec<u8> {
    let mut running = Running::new(compile(text));
    assert_eq!(running.packet(0, bytes), ThreadEnding::Done);
    running.sent().pop().expect("a packet").2
}

const FIELDS: &str = "struct fields_t { a : 32; b : 32; c : 32; result : 64; };
    const fields_t *f = packet_start; on packet goto start;";
const SEND: &str = "begin PacketSend(this_packet, 0, 0, packet_start, r_work.head_len); exit; end";

/// Returns the value of an expression of three numbers of 32 bits.
fn value_of(expression: &str, [a, b, c]: [u32; 3]) -> u64 {
    let text = format!(
        "{FIELDS} start: begin const : 32 a = f->a; const : 32 b = f->b; const : 32 c = f->c;
         f->result = {expression}; end {SEND}"
    );
    let mut packet: Vec<u8> = [a, b, c].iter().flat_map(|number| number.to_be_bytes()).collect();
    packet.extend([0; 8]);
    let sent = run(&text, &packet);
    u64::from_be_bytes(sent[12..20].try_into().expect("8 bytes"))
}

/// An expression in the language, and its value.
#[derive(Clone, Debug)]
struct Sample {
    text: String,
    value: u32,
}

fn sample([a, b, c]: [u32; 3]) -> impl Strategy<Value = Sample> {
    let leaf = prop_oneof![
        Just(Sample { text: "a".to_owned(), value: a }),
        Just(Sample { text: "b".to_owned(), value: b }),
        Just(Sample { text: "c".to_owned(), value: c }),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone(), 0..13_u8).prop_map(|(left, right, operator)| {
            let (x, y) = (left.value, right.value);
            let (sign, value) = match operator {
                0 => ("+", x.wrapping_add(y)),
                1 => ("-", x.wrapping_sub(y)),
                2 => ("*", x.wrapping_mul(y)),
                3 => ("/", x.checked_div(y).unwrap_or(0)),
                4 => ("%", x.checked_rem(y).unwrap_or(x)),
                5 => ("&", x & y),
                6 => ("|", x | y),
                7 => ("^", x ^ y),
                8 => ("==", u32::from(x == y)),
                9 => ("<", u32::from(x < y)),
                10 => (">=", u32::from(x >= y)),
                11 => ("&&", u32::from(x != 0 && y != 0)),
                _ => ("||", u32::from(x != 0 || y != 0)),
            };
            Sample { text: format!("({} {sign} {})", left.text, right.text), value }
        });
        let one = (inner.clone(), 0..5_u8, 0..40_u32).prop_map(|(operand, operator, count)| {
            let (x, text) = (operand.value, operand.text);
            match operator {
                0 => Sample { text: format!("(-{text})"), value: x.wrapping_neg() },
                1 => Sample { text: format!("(~{text})"), value: !x },
                2 => Sample { text: format!("(!{text})"), value: u32::from(x == 0) },
                3 => Sample { text: format!("({text} << {count})"), value: x.checked_shl(count).unwrap_or(0) },
                _ => Sample { text: format!("({text} >> {count})"), value: x.checked_shr(count).unwrap_or(0) },
            }
        });
        let choice = (inner.clone(), inner.clone(), inner).prop_map(|(condition, then, otherwise)| Sample {
            text: format!("({} ? {} : {})", condition.text, then.text, otherwise.text),
            value: if condition.value != 0 { then.value } else { otherwise.value },
        });
        prop_oneof![4 => two, 2 => one, 1 => choice]
    })
}

fn numbers() -> impl Strategy<Value = [u32; 3]> {
    prop::array::uniform3(prop_oneof![any::<u32>(), 0..4_u32, Just(u32::MAX), Just(1 << 31)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: common::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_of_unsigned_numbers_are_those_of_c(
        (sample, inputs) in numbers().prop_flat_map(|inputs| (sample(inputs), Just(inputs)))
    ) {
        prop_assert_eq!(value_of(&sample.text, inputs), u64::from(sample.value), "{}", sample.text);
    }
}

#[test]
fn widths_signs_and_conversions() {
    let inputs = [0x8000_0001, 7, 0];
    for (expression, value) in [
        // Wider operands make wider results, and literals adapt.
        ("(: 64) a + a", 0x1_0000_0002),
        ("a + a", 2),
        ("a + 0x100000000", 0x1_8000_0001),
        ("(: 8) a - 2", 0xffff_ffff),
        ("~(: 8) a", 0xffff_fffe),
        ("((: 8) 255) & 0xf0f", 0x0f),
        // Signed numbers.
        ("(int : 32) a < 0", 1),
        ("a < 0", 0),
        ("(int : 32) a >> 31", u64::MAX),
        ("(: 64) ((int : 8) 200)", (-56_i64) as u64),
        ("(int : 32) b / -2", (-3_i64) as u64),
        ("(int : 32) b % -2", 1),
        ("-1", u64::MAX),
        ("(: 16) -1", 0xffff),
        ("(int : 4) 0xf == -1", 1),
        // Booleans are numbers, and numbers are conditions.
        ("(a != 0) + (b != 0) + (c != 0)", 2),
        ("!!b", 1),
        ("c ? 1 : 2", 2),
        ("(bool) b", 1),
        ("true + 1", 2),
        // Constants are exact.
        ("(1 << 40) / (1 << 38)", 4),
        ("7 / 2 * 2", 6),
        ("-7 / 2", (-3_i64) as u64),
        ("sizeof(fields_t)", 20),
        ("sizeof a", 4),
        ("sizeof(f->result)", 8),
        ("010 + 0b11 + 0x1f", 42),
        // Pointers count bytes.
        ("(: 16) (f + 3) - (: 16) f", 3),
        ("(f + 3) - f", 3),
        ("f - 1 < f", 1),
        ("*(: 16 *) (f + 2)", 1),
        ("((fields_t *) ((: 16) f + 4))->a", 7),
        ("*(&f->b)", 7),
        // Divisions by zero and shifts beyond the width are defined.
        ("a / c", 0),
        ("a % c", 0x8000_0001),
        ("b << (b * 10)", 0),
    ] {
        assert_eq!(value_of(expression, inputs), value, "{expression}");
    }
}

#[test]
fn a_condition_as_an_operand_of_a_transaction_is_0_or_1() {
    for (condition, port) in [("f->a == f->b", 0), ("f->a < f->b", 1), ("!f->a", 0), ("f->a && f->b", 1)] {
        let text = format!(
            "{FIELDS} start: begin PacketSend(this_packet, {condition}, 0, packet_start, r_work.head_len); exit; end"
        );
        let mut running = Running::new(compile(&text));
        running.packet(7, &[1_u32, 2, 3, 0, 0].map(u32::to_be_bytes).concat());
        assert_eq!(running.sent()[0].0, port, "{condition}");
    }
}

#[test]
fn statements_of_an_instruction_read_what_was_there_before() {
    let text = format!("{FIELDS} start: begin const : old = f->a; f->a = f->b; f->b = old; f->c += 5; end {SEND}");
    let packet = [1_u32, 2, 3, 0, 0].map(u32::to_be_bytes).concat();
    assert_eq!(run(&text, &packet), [2_u32, 1, 8, 0, 0].map(u32::to_be_bytes).concat());
}

#[test]
fn what_follows_a_conditional_goto_happens_only_if_the_condition_is_false() {
    let text = format!(
        "{FIELDS} start: begin
            if (f->a == 1) goto end_;
            f->b = 7;
            if (f->a == 2) {{ if (f->c == 0) goto end_; f->result = 5; }} else if (f->a == 3) goto end_;
            f->c = 9;
        end
        end_: {SEND}"
    );
    for (given, expected) in [
        ([1, 0, 0], [1, 0, 0, 0, 0]),
        ([2, 0, 0], [2, 7, 0, 0, 0]),
        ([2, 0, 1], [2, 7, 9, 0, 5]),
        ([3, 0, 1], [3, 7, 1, 0, 0]),
        ([4, 0, 1], [4, 7, 9, 0, 0]),
    ] {
        let packet = [given[0], given[1], given[2], 0, 0].map(u32::to_be_bytes).concat();
        assert_eq!(run(&text, &packet), expected.map(u32::to_be_bytes).concat(), "{given:?}");
    }
}

#[test]
fn a_switch_takes_one_case() {
    let text = format!(
        "{FIELDS} start: begin
            switch (f->a) {{
            case 1: case 2: f->b = 12; break;
            default: f->b = 99; goto end_;
            case 3: if (f->c) {{ f->b = 3; }} else {{ goto end_; }}
            }}
            f->result = 1;
        end
        end_: {SEND}"
    );
    for (given, expected) in [
        ([1, 0, 0], [12, 0, 1]),
        ([2, 0, 0], [12, 0, 1]),
        ([3, 0, 1], [3, 1, 1]),
        ([3, 0, 0], [0, 0, 0]),
        ([4, 0, 1], [99, 1, 0]),
    ] {
        let packet = [given[0], given[1], given[2], 0, 0].map(u32::to_be_bytes).concat();
        let all = [given[0], expected[0], expected[1], 0, expected[2]].map(u32::to_be_bytes).concat();
        assert_eq!(run(&text, &packet), all, "{given:?}");
    }
}

#[test]
fn fields_lie_in_network_order_and_unions_share_their_room() {
    let text = format!(
        "struct t {{ x : 4; y : 12; : 4; z : 4; union {{ w : 32; struct {{ w0 : 16; w1[2] : 8; }}; }}; int s : 8; n : 8; }};
         const t *p = packet_start; register : 8 i; register t_small small; on packet goto start;
         start: begin p->x = p->z; p->y = p->w1[1]; i = 1; small.low = 5; end
         begin p->w1[i] = 0xaa; p->n = p->s < 0; p->w0 = small; end {SEND}"
    );
    let text =
        format!("struct t_small {{ high : 8; low : 8; }}; {text}").replace("p->w0 = small;", "p->w0 = small.low;");
    let sent = run(&text, &[0, 0, 0xf7, 1, 2, 3, 4, 0x80, 0]);
    assert_eq!(sent, [0x70, 4, 0xf7, 0, 5, 3, 0xaa, 0x80, 1]);
}

#[test]
fn labels_are_values_and_subroutines_return_to_their_callers() {
    let text = format!(
        "{FIELDS} register label back; register : 32 n;
        start: begin add(); end
        begin back = second; add(); goto third; end
        third: begin goto back; end
        begin exit; end
        second: begin f->result = n; if (back == second) f->c = 1; end {SEND}
        void add() {{ begin const : sum = n + f->a; n = sum; if (sum > 1000) return; inner(); end again: begin n = n + 1; end }}
        void inner() {{ begin n = n * 10; return; end }}"
    );
    let packet = [3_u32, 0, 0, 0, 0].map(u32::to_be_bytes).concat();
    // The inner subroutine multiplies: 3 * 10 + 1 = 31, then (31 + 3) * 10 + 1 = 341.
    assert_eq!(run(&text, &packet), [3_u32, 0, 1, 0, 341].map(u32::to_be_bytes).concat());
}

#[test]
fn memory_has_its_first_contents_in_each_thread_and_shared_memory_keeps_what_is_written() {
    let text = "struct s { a : 4; b : 12; c[3] : 16; };
        memory s m = {1, 2, {3, 4}}; memory : 8 x = 7; memory : 8 y = 9; register : 64 r;
        sram : 64 words[3] = {1, 0x0203}; dram s table[2] = {{}, {5, 6, {7}}};
        on packet goto start;
        start: begin MemRead(&table[1]); m.a = m.a + x; end
        begin MemWrite(&words[2], r_reply.data + m.a); x = y; end
        begin exit; end";
    let mut running = Running::new(compile(text));
    for _ in 0..2 {
        assert_eq!(running.packet(0, &[0; 64]), ThreadEnding::Done);
        assert_eq!([0, 1, 2].map(|word| running.word("words", word)), [1, 0x203, 0x5006_0007_0000_0008]);
    }
    assert_eq!(running.word("table", 0), 0);
}

#[test]
fn asynchronous_replies_are_there_after_waiting() {
    let text = format!(
        "{FIELDS} sram : 64 word = 77; memory : 64 copy;
        start: begin async MemRead(word, &copy, 8); end
        begin async MemFetchSwap(word, 5); end
        begin XtxnWait(); f->result = copy + r_reply.data; end {SEND}"
    );
    let packet = [0_u32; 5].map(u32::to_be_bytes).concat();
    assert_eq!(run(&text, &packet)[12..], 154_u64.to_be_bytes());
}

#[test]
fn pointers_out_of_local_memory_end_the_thread() {
    let text = "register : 32 *p; register : 32 x; on packet goto start; start: begin x = *p; end begin exit; end";
    let mut running =
        Running::new(compile(&text.replace("begin x = *p; end", "begin p = (: 32 *) 1278; end begin x = *p; end")));
    assert_eq!(running.packet(0, &[]), ThreadEnding::Fault(Fault::LocalMemory));
}

#[test]
fn filters_match_as_they_say_and_their_actions_have_the_names_that_they_give() {
    let text = |declaration: &str| {
        format!(
            "struct pair_t {{ a : 8; b : 8; }}; {declaration}; on packet goto start;
            start: begin FilterLookup(it, packet_start); end begin exit; end"
        )
    };
    for (declaration, kind, action) in [
        ("filter : 16 it[8] key : 32", MatchKind::Ternary, "it.set"),
        ("filter : 16 it[8] key lpm : 32 action route", MatchKind::Lpm, "route"),
        ("filter : 16 it[8] key exact pair_t action pick", MatchKind::Exact, "pick"),
    ] {
        let program = compile(&text(declaration));
        let table = &program.tables[0];
        assert!(table.keys.iter().all(|key| key.kind == kind), "{declaration}");
        assert_eq!(program.functions[table.actions[0].function.index()].name, action);
    }
    let errors = common::errors(&text("filter : 16 it[8] key lpm pair_t"));
    assert!(errors.contains("a key with prefixes has one number, not 2"), "{errors}");
}
