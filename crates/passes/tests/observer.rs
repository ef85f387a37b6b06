//! Tests of what an observer of the passes is told, and that the output of each pass can be printed.

use ir::parse;
use passes::{ANY_ATOM, Failure, Layout, Made, Observer, PASSES, Target, compile};

/// An observer that records the steps that began, and the output of those that ended.
#[derive(Default)]
struct Everything {
    begun: Vec<String>,
    made: Vec<(&'static str, String)>,
}

impl Observer for Everything {
    fn begins(&mut self, step: &str) {
        self.begun.push(step.to_owned());
    }

    fn ends(&mut self, pass: &'static str, made: Made<'_>) {
        self.made.push((pass, made.to_string()));
    }
}

const PROGRAM: &str = "program counts
field x: int<32>
register r: int<32>[8] = fill 0
register s: int<32> = 0
packet {
  if x > 3i32 {
    @r[x] = @r[x] + 1i32
  }
  @s = @s * x
}";

fn observed(target: &Target, layout: Layout) -> (Result<passes::Compiled, Failure>, Everything) {
    let program = parse::program("counts", PROGRAM).unwrap_or_else(|errors| panic!("{errors}"));
    let mut everything = Everything::default();
    let compiled = compile(&program, target, layout, &mut everything);
    (compiled, everything)
}

#[test]
fn reports_every_pass_in_order_with_its_output() {
    let target = Target { atom: ANY_ATOM.to_owned(), ..Target::default() };
    for (layout, other) in
        [(Layout::Single, "address_resolution"), (Layout::Steered { flow_order: Vec::new() }, "schedule")]
    {
        let (compiled, everything) = observed(&target, layout);
        let run: Vec<&str> = PASSES.into_iter().filter(|&pass| pass != other).collect();
        assert_eq!(everything.begun, run);
        assert_eq!(everything.made.iter().map(|(pass, _)| *pass).collect::<Vec<_>>(), run);
        let ((_, pipeline), programs) = everything.made.split_last().expect("there are passes");
        for (pass, text) in programs {
            let parsed = parse::program(pass, text).unwrap_or_else(|errors| panic!("{pass}: {errors}"));
            assert_eq!(&parsed.to_string(), text);
        }
        assert_eq!(pipeline, &compiled.unwrap_or_else(|failure| panic!("{failure}")).pipeline.to_string());
    }
}

#[test]
fn reports_the_passes_before_a_refusal() {
    let target = Target { atom: "raw".to_owned(), ..Target::default() };
    let (compiled, everything) = observed(&target, Layout::Single);
    assert!(matches!(compiled, Err(Failure::Resources(_))));
    let last = everything.made.last().map(|(pass, _)| *pass);
    assert_eq!(last, Some("simplification"), "no atom multiplies two numbers");
    assert_eq!(everything.begun.last().map(String::as_str), Some("the smallest machine that holds it"));
}
