//! Random pipelines and traffic, small and with many collisions.

use std::fmt::Write;

use node::Offered;
use proptest::prelude::*;

use crate::support::record;

/// The way in which a stateful stage accesses its registers.
#[derive(Clone, Copy, Debug)]
enum StageAccess {
    /// A sharded array.
    Sharded,
    /// A scalar.
    Scalar,
    /// An array at an index that an earlier stage read.
    LateIndex,
    /// Two sharded arrays, of which each packet accesses one.
    Exclusive,
    /// Two scalars.
    TwoScalars,
}

/// The condition under which a stateful stage is accessed.
#[derive(Clone, Copy, Debug)]
enum When {
    Always,
    Resolved,
    Late,
}

#[derive(Clone, Debug)]
struct Stage {
    kind: StageAccess,
    when: When,
    size: u32,
    operator: &'static str,
    /// Whether the stage directly follows the previous stateful stage, rather than stages that compute with what that
    /// one read.
    adjacent: bool,
    /// The number of stages without state before this one, if it is not adjacent. If the first stateful stage has none,
    /// it directly follows address resolution.
    gap: usize,
}

/// The shape of a pipeline.
#[derive(Clone, Debug)]
pub struct Shape {
    resolution: usize,
    stages: Vec<Stage>,
    tail: usize,
}

fn stage() -> impl Strategy<Value = Stage> {
    let kind = prop_oneof![
        4 => Just(StageAccess::Sharded),
        1 => Just(StageAccess::Scalar),
        1 => Just(StageAccess::LateIndex),
        2 => Just(StageAccess::Exclusive),
        1 => Just(StageAccess::TwoScalars),
    ];
    let when = prop_oneof![2 => Just(When::Always), 1 => Just(When::Resolved), 1 => Just(When::Late)];
    let operator = prop_oneof![Just("+"), Just("*"), Just("^"), Just("-"), Just("/"), Just("<<")];
    (kind, when, 1u32..9, operator, any::<bool>(), 0usize..3)
        .prop_map(|(kind, when, size, operator, adjacent, gap)| Stage { kind, when, size, operator, adjacent, gap })
}

pub fn shape() -> impl Strategy<Value = Shape> {
    (1usize..3, proptest::collection::vec(stage(), 1..4), 0usize..2).prop_map(|(resolution, stages, tail)| Shape {
        resolution,
        stages,
        tail,
    })
}

/// Draws packets on four ports, ordered by time and port, about `per_nanosecond` of them per nanosecond.
pub fn traffic(per_nanosecond: u64) -> impl Strategy<Value = Vec<Offered>> {
    // Some gaps are zero, so that packets arrive on several ports at the same time.
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
    /// Returns the text of the pipeline.
    pub fn text(&self) -> String {
        let mut text = PipelineText { at: self.resolution, accumulated: "f3".to_owned(), ..PipelineText::default() };
        text.declarations.push_str("pipeline random\n\n");
        for field in ["f0", "f1", "f2", "f3"] {
            writeln!(text.declarations, "field {field}: int<32>").unwrap();
        }
        let mut rest = self.stages.as_slice();
        while !rest.is_empty() {
            let adjacent = rest[1..].iter().take_while(|stage| stage.adjacent).count();
            let (run, others) = rest.split_at(1 + adjacent);
            text.run(self.stages.len() - rest.len(), run);
            rest = others;
        }
        let PipelineText { declarations, registers, resolution, stages, accesses, accumulated, .. } = text;
        let more = EMPTY.repeat(self.resolution - 1);
        let tail = EMPTY.repeat(self.tail);
        format!(
            "{declarations}{registers}\nresolution {}\nstage {{\n{resolution}}}\n{more}{stages}{tail}{accesses}\
             export f0 = {accumulated}\nexport f2 = f1\nexport f1 = f2\n",
            self.resolution,
        )
    }
}

const EMPTY: &str = "stage {\n}\n";

/// The text of a pipeline under construction.
#[derive(Default)]
struct PipelineText {
    declarations: String,
    registers: String,
    /// The atoms of the first stage.
    resolution: String,
    stages: String,
    accesses: String,
    /// The number of the next stage.
    at: usize,
    /// The variable that accumulates everything read from state so far.
    accumulated: String,
}

impl PipelineText {
    fn stage(&mut self, atoms: &str) {
        write!(self.stages, "stage {{\n{atoms}}}\n").unwrap();
        self.at += 1;
    }

    /// Adds a run of adjacent stateful stages, with the stages that they need before them and those that use their
    /// state.
    fn run(&mut self, first: usize, run: &[Stage]) {
        let numbered = || (first..).zip(run);
        let before = self.accumulated.clone();
        let mut conditions = String::new();
        for (n, stage) in numbered() {
            for name in ["h", "i", "e", "v", "w", "a", "b", "m", "x"] {
                writeln!(self.declarations, "local {name}{n}: int<32>").unwrap();
            }
            for name in ["c", "d", "l", "z"] {
                writeln!(self.declarations, "local {name}{n}: bool").unwrap();
            }
            let (field, other, size) = (n % 2 * 2, n % 3, stage.size);
            write!(
                self.resolution,
                "  atom {{\n    h{n} = hash2(f{field}, f1)\n    i{n} = h{n} % {size}i32\n  }}\n  \
                 atom {{ c{n} = f{other} < 3i32 }}\n  atom {{ z{n} = f{other} >= 3i32 }}\n"
            )
            .unwrap();
            write!(
                conditions,
                "  atom {{\n    e{n} = {before} & 1i32\n    l{n} = e{n} == 0i32\n    d{n} = e{n} != 0i32\n  }}\n"
            )
            .unwrap();
        }
        // These conditions depend on state that was read before, if any was.
        let gap = run[0].gap;
        if first == 0 && gap == 0 {
            self.resolution.push_str(&conditions);
        } else {
            self.stage(&conditions);
            (1..gap).for_each(|_| self.stage(""));
        }
        for (n, stage) in numbered() {
            self.stateful(n, stage, &before);
        }
        let mut mixed = String::new();
        let mut accumulated = String::from("  atom {\n");
        for (n, stage) in numbered() {
            let other = if matches!(stage.kind, StageAccess::Exclusive | StageAccess::TwoScalars) { "w" } else { "a" };
            writeln!(mixed, "  atom {{ m{n} = v{n} ^ {other}{n} }}").unwrap();
            writeln!(accumulated, "    x{n} = {} + m{n}", self.accumulated).unwrap();
            self.accumulated = format!("x{n}");
        }
        accumulated.push_str("  }\n");
        self.stage(&mixed);
        self.stage(&accumulated);
    }

    /// Adds a stateful stage, which may read `before` in addition to the fields.
    fn stateful(&mut self, n: usize, stage: &Stage, before: &str) {
        let conditions = |[first, second]: [&str; 2]| (Some(format!("{first}{n}")), Some(format!("{second}{n}")));
        let (first, second) = match stage.when {
            When::Resolved => conditions(["c", "z"]),
            When::Late => conditions(["l", "d"]),
            When::Always if matches!(stage.kind, StageAccess::Exclusive) => conditions(["c", "z"]),
            When::Always => (None, None),
        };
        let (first, second) = (first.as_deref(), second.as_deref());
        let (at, size, operator) = (self.at, stage.size, stage.operator);
        let mut access = |register: &str, index: Option<&str>, when: Option<&str>, placement: &str| {
            let index = index.map_or_else(String::new, |index| format!(" index {index}"));
            let when = match (when, stage.when) {
                (None, _) => " always".to_owned(),
                (Some(when), When::Late) => format!(" if-late {when}"),
                (Some(when), _) => format!(" if {when}"),
            };
            writeln!(self.accesses, "access @{register} stage {at}{index}{when} {placement}").unwrap();
        };
        let body = |register: &str, place: &str, [old, new]: [&str; 2], when: Option<&str>| {
            let when = when.map_or_else(String::new, |when| format!(" if {when}"));
            format!(
                "  atom update {{\n    {old}{n} = @{register}{place}{when}\n    \
                 {new}{n} = {old}{n} {operator} f1\n    @{register}{place} = {new}{n}{when}\n  }}\n"
            )
        };
        let (r, s, local) = (format!("r{n}"), format!("s{n}"), format!("i{n}"));
        let mut declare = |register: &str, rest: &str| {
            writeln!(self.registers, "register {register}: int<32>{rest}").unwrap();
        };
        let mut atoms = String::new();
        match stage.kind {
            StageAccess::Sharded => {
                declare(&r, &format!("[{size}] = fill {}", n + 1));
                access(&r, Some(&local), first, "sharded");
                atoms.push_str(&body(&r, &format!("[{local}]"), ["v", "a"], first));
            }
            StageAccess::Scalar => {
                declare(&r, " = 3");
                access(&r, None, first, "pinned");
                atoms.push_str(&body(&r, "", ["v", "a"], first));
            }
            StageAccess::LateIndex => {
                declare(&r, &format!("[{size}] = [5]"));
                access(&r, Some(before), first, "pinned");
                atoms.push_str(&body(&r, &format!("[{before}]"), ["v", "a"], first));
            }
            StageAccess::Exclusive => {
                for (register, when, values) in [(&r, first, ["v", "a"]), (&s, second, ["w", "b"])] {
                    declare(register, &format!("[{size}] = fill 2"));
                    access(register, Some(&local), when, "sharded");
                    atoms.push_str(&body(register, &format!("[{local}]"), values, when));
                }
            }
            StageAccess::TwoScalars => {
                for (register, values) in [(&r, ["v", "a"]), (&s, ["w", "b"])] {
                    declare(register, " = 7");
                    access(register, None, first, "pinned");
                    atoms.push_str(&body(register, "", values, first));
                }
            }
        }
        self.stage(&atoms);
    }
}
