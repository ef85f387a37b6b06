//! Typical updates of registers in P4 programs, in types other than Domino's: the least atom for each, proven for all
//! inputs.

use super::least_of;

/// Returns a program that updates one register of a type. In `code`, `old` is its value and `new` the new value; `x`,
/// `y` and the Boolean `c` are fields.
fn update(ty: &str, code: &str) -> String {
    let number = ty.replace("bit<", "u").replace("int<", "i").replace('>', "");
    let code = code.replace("_T", &number);
    let locals: String = ["t", "f", "new"]
        .iter()
        .filter(|name| code.contains(&format!("{name} = ")))
        .map(|name| format!("local {name}: {}\n", if *name == "f" { "bool" } else { ty }))
        .collect();
    format!(
        "field x: {ty}\nfield y: {ty}\nfield c: bool\nlocal old: {ty}\n{locals}register r: {ty}[16] = fill 0\n\
         packet {{\n old = @r[x]\n {code}\n @r[x] = new\n}}"
    )
}

fn least(ty: &str, code: &str) -> Option<&'static str> {
    least_of(&update(ty, code), &["r"])
}

const TYPES: [&str; 5] = ["bit<8>", "bit<16>", "bit<32>", "bit<48>", "int<16>"];

#[test]
fn counters_of_every_type_map_to_raw() {
    for ty in TYPES {
        assert_eq!(least(ty, "new = old + 1_T"), Some("raw"), "{ty}");
        assert_eq!(least(ty, "t = old + y\n new = c ? t : old"), Some("pred_raw"), "{ty}");
    }
    assert_eq!(least("bit<1>", "new = old + 1u1"), Some("raw"));
    assert_eq!(least("bit<63>", "new = old + 1u63"), Some("raw"));
    assert_eq!(least("int<64>", "new = old + y"), Some("raw"));
    assert_eq!(least("bit<64>", "t = old + y\n new = c ? t : old"), Some("pred_raw"));
}

#[test]
fn saturating_counters_map_to_atoms() {
    for ty in TYPES {
        assert_eq!(least(ty, "new = old |+| 1_T"), Some("pred_raw"), "{ty}");
        assert_eq!(least(ty, "new = old |-| 1_T"), Some("pred_raw"), "{ty}");
    }
    for ty in ["bit<8>", "bit<32>", "bit<48>"] {
        // The carry shows whether the sum saturates.
        assert_eq!(least(ty, "new = old |+| y"), Some("nested_ifs"), "{ty}");
        assert_eq!(least(ty, "new = old |-| y"), Some("sub"), "{ty}");
    }
}

#[test]
fn conditional_replacements_map_to_predicated_atoms() {
    for ty in TYPES {
        assert_eq!(least(ty, "new = c ? y : old"), Some("pred_raw"), "{ty}");
        assert_eq!(least(ty, "f = y > old\n new = f ? y : old"), Some("pred_raw"), "greatest {ty}");
        assert_eq!(least(ty, "f = old == 0_T\n new = f ? y : old"), Some("pred_raw"), "first {ty}");
        assert_eq!(least(ty, "f = old < 100_T\n t = old + 1_T\n new = f ? t : 0_T"), Some("if_else_raw"), "{ty}");
    }
    // Half of the numbers of `bit<64>` do not fit a signed 64-bit word.
    assert_eq!(least("bit<64>", "f = y > old\n new = f ? y : old"), Some("pred_raw"));
    assert_eq!(least("bit<64>", "f = old < 9223372036854775808u64\n new = f ? y : old"), Some("pred_raw"));
}
