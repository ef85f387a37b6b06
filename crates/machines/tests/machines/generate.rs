//! Random pipelines and traffic, small and full of collisions.

use std::fmt::Write;

use node::Offered;
use proptest::prelude::*;

use crate::support::record;

/// How a stateful stage accesses its registers.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// An array, spread over the pipelines.
    Sharded,
    /// A scalar.
    Scalar,
    /// An array at an index that an earlier stage read.
    LateIndex,
    /// Two arrays, spread, of which a packet accesses one.
    Exclusive,
    /// Two scalars.
    TwoScalars,
}

/// When a stateful stage is accessed.
#[derive(Clone, Copy, Debug)]
enum When {
    Always,
    Resolved,
    Late,
}

#[derive(Clone, Debug)]
struct Stage {
    kind: Kind,
    when: When,
    size: u32,
    operator: &'static str,
    /// Stages without state in front of it.
    gap: usize,
}

/// A pipeline's shape.
#[derive(Clone, Debug)]
pub struct Shape {
    resolution: usize,
    stages: Vec<Stage>,
    tail: usize,
}

fn stage() -> impl Strategy<Value = Stage> {
    let kind = prop_oneof![
        4 => Just(Kind::Sharded),
        1 => Just(Kind::Scalar),
        1 => Just(Kind::LateIndex),
        2 => Just(Kind::Exclusive),
        1 => Just(Kind::TwoScalars),
    ];
    let when = prop_oneof![2 => Just(When::Always), 1 => Just(When::Resolved), 1 => Just(When::Late)];
    let operator = prop_oneof![Just("+"), Just("*"), Just("^"), Just("-"), Just("/"), Just("<<")];
    (kind, when, 1u32..9, operator, 0usize..3).prop_map(|(kind, when, size, operator, gap)| Stage {
        kind,
        when,
        size,
        operator,
        gap,
    })
}

pub fn shape() -> impl Strategy<Value = Shape> {
    (1usize..3, proptest::collection::vec(stage(), 1..4), 0usize..2).prop_map(|(resolution, stages, tail)| Shape {
        resolution,
        stages,
        tail,
    })
}

/// Packets on four ports, by time and port, about `per_nanosecond` of them in a nanosecond.
pub fn traffic(per_nanosecond: u64) -> impl Strategy<Value = Vec<Offered>> {
    // Some gaps are zero: packets on several ports at one time.
    let gap = (0..2 * 1000 / per_nanosecond).prop_map(|gap| if gap % 4 == 0 { 0 } else { gap });
    let packet = (gap, 0u16..4, proptest::array::uniform4(0u32..6));
    proptest::collection::vec(packet, 1..120).prop_map(|packets| {
        let mut time = 0;
        let mut offered: Vec<Offered> = packets
            .into_iter()
            .map(|(gap, port, fields)| {
                time += gap;
                record(time, port, &fields)
            })
            .collect();
        offered.sort_by_key(|offered| (offered.at, offered.port));
        offered
    })
}

impl Shape {
    /// The pipeline's text.
    pub fn text(&self) -> String {
        let mut declarations = String::from("pipeline random\n\n");
        for field in ["f0", "f1", "f2", "f3"] {
            writeln!(declarations, "field {field}: int<32>").unwrap();
        }
        let mut registers = String::new();
        let mut resolution = String::from("stage {\n");
        let mut stages = String::new();
        let mut accesses = String::new();
        let mut at = self.resolution;
        let mut accumulated = "f3".to_owned();
        for (number, stage) in self.stages.iter().enumerate() {
            let n = number;
            for name in ["h", "i", "e", "v", "w", "a", "b", "m", "x"] {
                writeln!(declarations, "local {name}{n}: int<32>").unwrap();
            }
            for name in ["c", "d", "l", "z"] {
                writeln!(declarations, "local {name}{n}: bool").unwrap();
            }
            let size = stage.size;
            writeln!(resolution, "  atom {{\n    h{n} = hash2(f{}, f1)\n    i{n} = h{n} % {size}i32\n  }}", n % 2 * 2)
                .unwrap();
            writeln!(resolution, "  atom {{ c{n} = f{} < 3i32 }}", n % 3).unwrap();
            writeln!(resolution, "  atom {{ z{n} = f{} >= 3i32 }}", n % 3).unwrap();
            // What depends on state that was read before.
            stages.push_str("stage {\n");
            writeln!(stages, "  atom {{\n    e{n} = {accumulated} & 1i32\n    l{n} = e{n} == 0i32").unwrap();
            writeln!(stages, "    d{n} = e{n} != 0i32\n  }}").unwrap();
            stages.push_str("}\n");
            at += 1;
            for _ in 0..stage.gap {
                stages.push_str("stage {\n}\n");
                at += 1;
            }
            let (first, second) = match stage.when {
                When::Resolved => (Some(format!("c{n}")), Some(format!("z{n}"))),
                When::Late => (Some(format!("l{n}")), Some(format!("d{n}"))),
                When::Always if matches!(stage.kind, Kind::Exclusive) => (Some(format!("c{n}")), Some(format!("z{n}"))),
                When::Always => (None, None),
            };
            let mut access = |register: &str, index: Option<&str>, when: Option<&str>, placement: &str| {
                let index = index.map_or_else(String::new, |index| format!(" index {index}"));
                let when = match (when, stage.when) {
                    (None, _) => " always".to_owned(),
                    (Some(when), When::Late) => format!(" if-late {when}"),
                    (Some(when), _) => format!(" if {when}"),
                };
                writeln!(accesses, "access @{register} stage {at}{index}{when} {placement}").unwrap();
            };
            let body = |register: &str, place: &str, values: [&str; 2], when: Option<&str>| {
                let when = when.map_or_else(String::new, |when| format!(" if {when}"));
                let [old, new] = values;
                format!(
                    "  atom update {{\n    {old}{n} = @{register}{place}{when}\n    \
                     {new}{n} = {old}{n} {} f1\n    @{register}{place} = {new}{n}{when}\n  }}\n",
                    stage.operator
                )
            };
            stages.push_str("stage {\n");
            let (r, s) = (format!("r{n}"), format!("s{n}"));
            let local = format!("[i{n}]");
            match stage.kind {
                Kind::Sharded => {
                    writeln!(registers, "register {r}: int<32>[{size}] = fill {}", n + 1).unwrap();
                    access(&r, Some(&format!("i{n}")), first.as_deref(), "sharded");
                    stages.push_str(&body(&r, &local, ["v", "a"], first.as_deref()));
                }
                Kind::Scalar => {
                    writeln!(registers, "register {r}: int<32> = 3").unwrap();
                    access(&r, None, first.as_deref(), "pinned");
                    stages.push_str(&body(&r, "", ["v", "a"], first.as_deref()));
                }
                Kind::LateIndex => {
                    writeln!(registers, "register {r}: int<32>[{size}] = [5]").unwrap();
                    access(&r, Some(&accumulated), first.as_deref(), "pinned");
                    stages.push_str(&body(&r, &format!("[{accumulated}]"), ["v", "a"], first.as_deref()));
                }
                Kind::Exclusive => {
                    for register in [&r, &s] {
                        writeln!(registers, "register {register}: int<32>[{size}] = fill 2").unwrap();
                    }
                    access(&r, Some(&format!("i{n}")), first.as_deref(), "sharded");
                    access(&s, Some(&format!("i{n}")), second.as_deref(), "sharded");
                    stages.push_str(&body(&r, &local, ["v", "a"], first.as_deref()));
                    stages.push_str(&body(&s, &local, ["w", "b"], second.as_deref()));
                }
                Kind::TwoScalars => {
                    for register in [&r, &s] {
                        writeln!(registers, "register {register}: int<32> = 7").unwrap();
                        access(register, None, first.as_deref(), "pinned");
                    }
                    stages.push_str(&body(&r, "", ["v", "a"], first.as_deref()));
                    stages.push_str(&body(&s, "", ["w", "b"], first.as_deref()));
                }
            }
            stages.push_str("}\n");
            let other = if matches!(stage.kind, Kind::Exclusive | Kind::TwoScalars) { "w" } else { "a" };
            writeln!(stages, "stage {{\n  atom {{ m{n} = v{n} ^ {other}{n} }}\n}}").unwrap();
            writeln!(stages, "stage {{\n  atom {{ x{n} = {accumulated} + m{n} }}\n}}").unwrap();
            at += 3;
            accumulated = format!("x{n}");
        }
        resolution.push_str("}\n");
        let empty = "stage {\n}\n";
        format!(
            "{declarations}{registers}\nresolution {}\n{resolution}{}{stages}{}{accesses}export f0 = {accumulated}\n\
             export f2 = f1\nexport f1 = f2\n",
            self.resolution,
            empty.repeat(self.resolution - 1),
            empty.repeat(self.tail),
        )
    }
}
