//! A machine from outside: implementing the public traits is enough to be checked, traced and used in a network.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Duration, Instant};
use control::{Info, Request, Response};
use diagnostics::Failure;
use equivalence::{Reference, Verdict};
use ir::interpret::PacketInterpreter;
use machines::trace::Trace;
use machines::v1model::{Switch, V1modelParameters};
use machines::{Device, Statistics, Unsuitable};
use networks::plan::read;
use networks::{Next, Running, run};
use node::{Account, Burst, Control, Node, Outbox, Port, Station};
use runtime::ProgramState;
use workbench::Entries;
use workbench::kinds::{self, Accepts, ControlPlaneSetup, Fitted, Given, MachineKind, MachineOption, Settings};
use workbench::run::{CaptureInput, Offer, Pace, Run};
use workbench::{CheckPlan, LoadOptions, LoadedProgram, MachinePlan, MadePackets};

/// A switch that delays every packet equally before it leaves.
struct Slow {
    inner: Switch<PacketInterpreter>,
    latency: Duration,
    /// It sends every packet of this number to the port behind the right one, if any.
    misdirects: Option<u64>,
    sent: u64,
    out: Outbox,
}

impl Node for Slow {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.out.begin(now);
        self.inner.receive(now, port, burst, &mut self.out);
        out.discarded.append(&mut self.out.discarded);
        for transmission in self.out.transmissions.drain(..) {
            self.sent += 1;
            let is_misdirected = self.misdirects.is_some_and(|every| self.sent.is_multiple_of(every));
            let port = Port(transmission.port.0 + u16::from(is_misdirected));
            out.transmit_at(port, transmission.packet, transmission.at + self.latency);
        }
    }

    fn wake(&mut self, _now: Instant, _out: &mut Outbox) {}

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Station for Slow {
    fn account(&self) -> Account {
        self.inner.account()
    }
}

impl Snapshot for Slow {
    fn save(&self, _into: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("the toy cannot be written down".to_owned()))
    }

    fn restore(&mut self, _from: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("the toy was never written down".to_owned()))
    }
}

impl Device for Slow {
    fn info(&self) -> &Arc<Info> {
        self.inner.info()
    }

    fn ports(&self) -> Option<u32> {
        self.inner.ports()
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        self.inner.execute(request)
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, control::RefusedRequest> {
        self.inner.execute_together(requests)
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        self.inner.state()
    }

    fn statistics(&self) -> Statistics {
        Device::statistics(&self.inner)
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        self.inner.observe()
    }

    fn take_traces(&mut self) -> Vec<Trace> {
        self.inner.take_traces()
    }
}

/// The kind of these machines.
struct Toy {
    misdirects: Option<u64>,
}

static TOY: Toy = Toy { misdirects: None };
static BROKEN_TOY: Toy = Toy { misdirects: Some(7) };
static LATENCY: MachineOption = MachineOption {
    name: "latency",
    value: "NANOSECONDS",
    default: "500",
    help: "How long a packet waits on its way out.",
    accepts: Accepts::Number(0..=1_000_000),
    heading: "Toys",
    is_hidden: false,
};
static OPTIONS: [&MachineOption; 1] = [&LATENCY];

impl MachineKind for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn about(&self) -> &'static str {
        "a switch with a latency"
    }

    fn page(&self) -> &'static str {
        ""
    }

    fn options(&self) -> &[&'static MachineOption] {
        &OPTIONS
    }

    fn is_usual(&self, program: &LoadedProgram) -> bool {
        program.has_parser()
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        let latency = settings.given.last("latency").and_then(|text| text.parse().ok()).unwrap_or(500);
        let latency = Duration::from_nanoseconds(latency);
        Ok(Box::new(FittedToy { program: program.clone(), latency, misdirects: self.misdirects }))
    }
}

struct FittedToy {
    program: LoadedProgram,
    latency: Duration,
    misdirects: Option<u64>,
}

impl FittedToy {
    fn switch(&self, seed: u64) -> Result<Switch<PacketInterpreter>, Failure> {
        let executor = PacketInterpreter::new(self.program.program.clone());
        let parameters = V1modelParameters { seed, ..V1modelParameters::default() };
        Ok(Switch::new(executor, Arc::clone(&self.program.info), parameters)?)
    }
}

impl Fitted for FittedToy {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let (inner, out) = (self.switch(seed)?, Outbox::default());
        Ok(Box::new(Slow { inner, latency: self.latency, misdirects: self.misdirects, sent: 0, out }))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("latency", format!("{:?}", self.latency))]
    }
}

fn said<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

#[test]
fn checks_a_machine_from_outside() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/router");
    let program = said(LoadedProgram::read(&folder.join("router.p4"), &LoadOptions::default()));
    let entries = said(Entries::read(&folder.join("router.stf"), &program));
    let check =
        said(CheckPlan::everywhere(&program, &entries, MadePackets::new(300, MachinePlan::line_rate_of(None), 1)));
    let held = |kind| check.check(&said(check.ready(kind, &Settings::default()))).remove(0);
    assert!(!held(&TOY).shows_difference());
    let broken = held(&BROKEN_TOY);
    assert!(broken.shows_difference() && broken.witness.is_some());
}

#[test]
fn runs_captures_on_a_machine_from_outside() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/heavy_hitter");
    let program = said(LoadedProgram::read(&folder.join("heavy_hitter.p4"), &LoadOptions::default()));
    let run = |machine| {
        let entries = said(Entries::read(&folder.join("office.txt"), &program));
        let (outcome, _) = said(Run { entries, ..Run::new(&program, machine, office()) }.go(None));
        outcome.replayed().expect("the program has a parser").ports
    };
    assert_eq!(run(&TOY), run(kinds::MEANING));
}

/// A machine for programs of fields that has no stages.
struct Plain;

struct FittedPlain(Box<dyn Fitted>);

impl MachineKind for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn about(&self) -> &'static str {
        "one pipeline of which nothing is known"
    }

    fn page(&self) -> &'static str {
        ""
    }

    fn options(&self) -> &[&'static MachineOption] {
        &[]
    }

    fn is_usual(&self, program: &LoadedProgram) -> bool {
        !program.has_parser()
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(FittedPlain(kinds::BANZAI.fit(program, settings)?)))
    }
}

impl Fitted for FittedPlain {
    fn program(&self) -> &LoadedProgram {
        self.0.program()
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        self.0.build(seed)
    }

    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        self.0.reference(seed, write)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

#[test]
fn runs_programs_of_fields_without_stages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/domino/flowlet/flowlet.c");
    let program = said(LoadedProgram::read(&path, &LoadOptions::default()));
    let (outcome, _) = said(Run::new(&program, &Plain, office()).go(None));
    let text = outcome.to_string();
    let compared = outcome.compared().expect("the program works on fields");
    assert_eq!((compared.comparison.verdict, compared.comparison.packets), (Verdict::Equal, 3702));
    assert!(text.contains("machine         plain\n") && !text.contains("cycles"), "{text}");
}

/// A capture that comes in on port 1.
fn office() -> Offer {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/captures/office.pcap");
    Offer::Captures { captures: vec![CaptureInput { port: 1, path }], pace: Pace::Timestamps }
}

#[test]
fn simulates_a_machine_from_outside_with_its_latency() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 4\n\
        [switch]\nprogram = \"forward.p4\"\nentries = [\"routes.txt\"]\n\
        [[workload]]\nkind = \"incast\"\nsenders = 1\nbytes = \"1 kB\"\nreceiver = 0\n";
    let delivered = |kind: Option<&'static dyn MachineKind>, nanoseconds: &str| {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/network"));
        let mut plan = said(read("toy", "toy.toml", text, folder, None));
        let program = plan.switches[0].program.as_mut().expect("a program");
        if let Some(kind) = kind {
            program.machine = Some(kind);
            program.given = Given::default();
            program.given.push(&LATENCY, nanoseconds).expect("a number of nanoseconds");
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toy_machine");
        let running = Running::through(&folder, NonZeroUsize::MIN);
        let ran = said(run(plan, &running, &mut |_| Next::GoOn));
        let outcome = ran.outcome().expect("the end");
        assert_eq!(outcome.defect, None, "packets are conserved");
        outcome.flows[0].delivered.expect("the message arrives")
    };
    let at_once = delivered(None, "");
    for nanoseconds in [100, 900] {
        let later = delivered(Some(&TOY), &nanoseconds.to_string()).since(at_once);
        // One packet goes one way through one switch.
        assert_eq!(later, Duration::from_nanoseconds(nanoseconds));
    }
}
