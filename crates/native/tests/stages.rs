//! Machines whose stages are machine code do the same as the interpreter.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use basis::{Instant, Random};
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::banzai::{Banzai, BanzaiParameters};
use machines::mp5::{Mp5, Mp5Parameters};
use machines::stages::{CompiledStages, StageCode, StageCompiler};
use machines::{Device, drive};
use measure::{Event, Interest};
use native::NativeStages;
use node::{Discarded, Offered, Port, Sink, Transmission};
use runtime::RegisterFile;
use runtime::binding::Binding;
use wire::Packet;

const TYPES: [&str; 7] = ["int<32>", "bit<32>", "int<8>", "bit<5>", "int<64>", "bit<64>", "bool"];

/// Returns a pipeline whose first stage applies every operation to two values of each type, and whose other stages access registers:
/// one as the packet's value passes, one that leaves nothing behind, and one whose value is used elsewhere.
fn everything() -> Pipeline {
    let (mut locals, mut body, mut count) = (String::new(), String::new(), 0);
    let mut assign = |name: Option<String>, ty: &str, value: &str| {
        count += 1;
        let name = name.unwrap_or_else(|| format!("v{count}"));
        writeln!(locals, "local {name}: {ty}").unwrap();
        writeln!(body, "    {name} = {value}").unwrap();
        name
    };
    for (name, [high, low]) in [("p", ["w0", "w1"]), ("q", ["w2", "w3"])] {
        let high = assign(None, "bit<64>", &format!("bit<64>({high})"));
        let high = assign(None, "bit<64>", &format!("{high} << 32u64"));
        let low = assign(None, "bit<64>", &format!("bit<64>({low})"));
        assign(Some(name.to_owned()), "bit<64>", &format!("{high} | {low}"));
    }
    let less = assign(None, "bool", "w0 < w2");
    let mut results = Vec::new();
    for (number, ty) in TYPES.into_iter().enumerate() {
        let a = assign(Some(format!("a{number}")), ty, &format!("{ty}(p)"));
        let b = assign(Some(format!("b{number}")), ty, &format!("{ty}(q)"));
        for operator in ir::BinaryOperator::ALL {
            use ir::BinaryOperator::{And, Equal, NotEqual, Or, Xor};
            if ty == "bool" && !matches!(operator, And | Or | Xor | Equal | NotEqual) {
                continue;
            }
            let result = if operator.is_comparison() { "bool" } else { ty };
            results.push(assign(None, result, &format!("{a} {} {b}", operator.symbol())));
        }
        let unary: &[&str] = if ty == "bool" { &["!"] } else { &["~", "-"] };
        results.extend(unary.iter().map(|operator| assign(None, ty, &format!("{operator}{a}"))));
        results.push(assign(None, ty, &format!("{less} ? {a} : {b}")));
        results.extend(TYPES.map(|to| assign(None, to, &format!("{to}({a})"))));
    }
    let hashes = ["hash2(a0, b0)", "hash3(a0, b0, a0)", "hash2a(a0, 7i32)", "hash2b(b0, a0)", "hash2c(a0, b0)"];
    results.extend(hashes.map(|hash| assign(None, "int<32>", hash)));
    let mut sum = "p".to_owned();
    for result in results {
        let product = assign(None, "bit<64>", &format!("{sum} * 6364136223846793005u64"));
        let word = assign(None, "bit<64>", &format!("bit<64>({result})"));
        sum = assign(None, "bit<64>", &format!("{product} + {word}"));
    }
    let high = assign(None, "bit<64>", &format!("{sum} >> 32u64"));
    assign(Some("first".to_owned()), "bit<32>", &format!("bit<32>({high})"));
    assign(Some("value".to_owned()), "bit<32>", &format!("bit<32>({sum})"));
    let text = format!(
        "pipeline everything\n{fields}{locals}{stateful}register r: bit<32>[7]\nregister s: bit<32>[8]\nregister t: bit<32>\n\
         resolution 0\nstage {{\n  atom {{\n{body}  }}\n}}\n\
         stage {{\n  atom raw {{\n    old = @r[w0] if does\n    tripled = old * 3u32\n    new = tripled + value\n    @r[w0] = new if does\n    \
         passed = value + old\n  }}\n}}\n\
         stage {{\n  atom raw {{\n    counted = @s[w1] if does\n    more = counted + 1u32\n    @s[w1] = more if does\n  }}\n}}\n\
         stage {{\n  atom raw {{\n    last = @t\n    @t = passed\n  }}\n}}\n\
         access @r stage 1 index w0 if does sharded\naccess @s stage 2 index w1 if does sharded\naccess @t stage 3 always pinned\n\
         export w0 = first\nexport w1 = passed\nexport w2 = last\n",
        fields = "field w0: bit<32>\nfield w1: bit<32>\nfield w2: bit<32>\nfield w3: bit<32>\nfield does: bool\n",
        stateful = ["old", "tripled", "new", "passed", "counted", "more", "last"]
            .map(|it| format!("local {it}: bit<32>\n"))
            .concat(),
    );
    let pipeline = ir::parse::pipeline("everything.ir", &text).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    pipeline.verify().unwrap();
    pipeline
}

/// Words at and around the limits of types, and any others.
fn word(random: &mut Random) -> u32 {
    const EDGES: [u32; 10] = [0, 1, 2, 7, 15, 31, 0x7F, 0x80, 0x7FFF_FFFF, 0x8000_0000];
    match random.below(3) {
        0 => EDGES[random.below(EDGES.len() as u64) as usize],
        1 => 0u32.wrapping_sub(random.below(40) as u32),
        _ => random.below(1 << 32) as u32,
    }
}

fn packets() -> Vec<Offered> {
    let mut random = Random::new(11);
    let packet = |number: u64| {
        let words = [0; 4].map(|_| word(&mut random)).into_iter().chain([random.below(2) as u32]);
        let bytes: Vec<u8> = words.flat_map(u32::to_be_bytes).collect();
        Offered { at: Instant::from_picoseconds(700 * number), port: Port(0), packet: Packet::of_bytes(&bytes) }
    };
    (0..2000).map(packet).collect()
}

fn binding(pipeline: &Pipeline) -> Binding {
    Binding::record(pipeline.program.fields().map(|(_, field)| field.ty.width()).collect())
}

/// A compiler that tells whether it has compiled anything.
#[derive(Debug, Default)]
struct Told(AtomicBool);

impl StageCompiler for Told {
    fn compile(&self, code: StageCode<'_>) -> Option<Arc<dyn CompiledStages>> {
        let compiled = NativeStages.compile(code);
        self.0.store(compiled.is_some(), Ordering::Relaxed);
        compiled
    }
}

/// The bytes of the packets that leave, by number.
#[derive(Default)]
struct Left(Vec<(u64, Vec<u8>)>);

impl Sink for Left {
    fn transmitted(&mut self, transmission: Transmission) {
        self.0.push((transmission.packet.sidecar.id, transmission.packet.head.bytes().to_vec()));
    }
    fn discarded(&mut self, _: Instant, discarded: Discarded) {
        panic!("{discarded:?}");
    }
    fn event(&mut self, _: Instant, _: Event) {}
}

fn run(mut machine: impl Device, after: u64) -> (Vec<(u64, Vec<u8>)>, RegisterFile) {
    let compiler = Arc::new(Told::default());
    machine.compile_stages(compiler.clone(), after);
    let mut left = Left::default();
    drive(&mut machine, packets(), Interest::default(), &mut left).unwrap_or_else(|standstill| panic!("{standstill}"));
    assert_eq!(compiler.0.load(Ordering::Relaxed), after < u64::MAX, "compiled after {after} packets");
    left.0.sort_unstable();
    (left.0, machine.state().registers.clone())
}

fn interpreted(pipeline: &Pipeline) -> (Vec<(u64, Vec<u8>)>, RegisterFile) {
    let mut interpreter = PipelineInterpreter::new(pipeline);
    let binding = binding(pipeline);
    let mut left = Vec::new();
    for (number, mut offered) in (0..).zip(packets()) {
        let mut values = vec![0; pipeline.program.variables.len()];
        assert!(binding.load(&offered.packet, 0, &mut values));
        interpreter.packet(&mut values);
        binding.store(&values, &mut offered.packet);
        left.push((number, offered.packet.head.bytes().to_vec()));
    }
    (left, interpreter.registers().clone())
}

#[test]
fn machine_code_of_stages_equals_the_interpreter() {
    let pipeline = everything();
    let expected = interpreted(&pipeline);
    // Compiled before the first packet, while packets are inside, and never.
    for after in [0, 500, u64::MAX] {
        let banzai = Banzai::new(&pipeline, binding(&pipeline), BanzaiParameters::default()).unwrap();
        assert!(run(banzai, after) == expected, "banzai, compiled after {after} packets");
        for pipelines in [1, 4] {
            let parameters = Mp5Parameters { pipelines, ..Mp5Parameters::default() };
            let mp5 = Mp5::new(&pipeline, binding(&pipeline), parameters).unwrap();
            assert!(run(mp5, after) == expected, "{pipelines} pipelines, compiled after {after} packets");
        }
    }
}
