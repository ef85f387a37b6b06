//! P4 programs, the control plane requests that fill their tables, and the machines that run them.

use std::path::Path;
use std::sync::Arc;

use control::stf::{self, Step};
use control::{Info, Request};
use diagnostics::Sources;
use equivalence::coverage::{self, Coverage, Options};
use equivalence::{Comparison, Effort, Reference, Rules, Shrunk, Subject, Witness};
use ir::interpret::PacketInterpreter;
use ir::pipeline::Pipeline;
use machines::edge::ProgramEdge;
use machines::mp5::{self, Mp5};
use machines::pipelines::Pipelines;
use machines::recirculating;
use machines::v1model::{Switch, V1modelParameters};
use machines::{Banzai, Device, Pipelined, banzai};
use node::{Offered, Port};
use passes::flatten::{Flattened, flatten};
use passes::{Layout, Operations, Target};

/// A program with its control plane requests.
pub struct Loaded {
    pub program: Arc<ir::Program>,
    pub info: Arc<Info>,
    pub requests: Vec<Request>,
    /// The packets from which generation begins.
    pub seeds: Vec<(Port, Vec<u8>)>,
}

/// A flattened program, with generated packets that cover it.
pub struct Ready {
    pub loaded: Loaded,
    pub flattened: Flattened,
    pub packets: Vec<Offered>,
    pub coverage: Coverage,
}

/// The machines that can run a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelineMachine {
    Banzai,
    Mp5,
    Recirculating,
}

/// The kinds of stages that a program can be fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    Banzai,
    MatchAction,
}

impl Loaded {
    /// Loads a program from its text, and the requests from the lines of a packet test.
    pub fn of(name: &str, text: &str, test: &str) -> Self {
        let mut sources = Sources::new();
        let main = sources.add(name, text);
        let options = p4::Options { search_paths: vec![folder("")], ..p4::Options::default() };
        let read = p4::preprocess(&mut sources, main, &p4::Disk, &options);
        let (tree, mut found) = p4::parse(&read.tokens);
        found.extend(read.diagnostics);
        assert!(!found.has_errors(), "{}", found.render(&sources, false));
        let (checked, found) = p4::check(&tree);
        assert!(!found.has_errors(), "{}", found.render(&sources, false));
        let lowered = p4::lower(&tree, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
        let mut program = lowered.program;
        program.name = name.to_owned();
        ir::verify::program(&program).unwrap();
        let id = sources.add("test.stf", test);
        let prepared = stf::prepare(&lowered.info, &sources, id);
        let prepared = prepared.unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
        let (mut requests, mut seeds) = (Vec::new(), Vec::new());
        for step in prepared.steps {
            match step.item {
                Step::Request(request) => requests.push(request),
                Step::Packet { port, bytes } => seeds.push((Port(port as u16), bytes)),
                Step::Expect { .. }
                | Step::NoPacket
                | Step::Option { .. }
                | Step::Wait { .. }
                | Step::Check { .. }
                | Step::CheckDigest(_)
                | Step::CheckIdle(_) => {}
            }
        }
        Self { program: Arc::new(program), info: Arc::new(lowered.info), requests, seeds }
    }

    /// Loads a program of this project with one of its packet tests.
    pub fn ours(name: &str, test: &str) -> Self {
        let text = |file: &str| {
            let path = Path::new(&folder(name)).join(file);
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        Self::of(name, &text(&format!("{name}.p4")), &text(test))
    }

    /// Creates a switch and executes all requests that it accepts.
    pub fn switch(&self) -> Switch<PacketInterpreter> {
        let executor = PacketInterpreter::new(self.program.clone());
        let mut switch = Switch::new(executor, self.info.clone(), V1modelParameters::default()).unwrap();
        for request in &self.requests {
            // As in `coverage::generate`, refused requests have no effect.
            let _ = switch.execute(request);
        }
        switch
    }

    /// Flattens the program and generates packets, or returns the reason why it cannot be flattened.
    pub fn ready(self, packets: usize) -> Result<Ready, String> {
        let flattened = flatten(&self.program, &passes::flatten::Options::default()).map_err(|findings| {
            findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("\n")
        })?;
        let options = Options { packets, ..Options::default() };
        let generated = coverage::generate(&self.program, &self.info, &self.requests, &self.seeds, &options).unwrap();
        let packets = generated.offered().collect();
        Ok(Ready { packets, coverage: generated.coverage, flattened, loaded: self })
    }
}

fn folder(name: &str) -> String {
    format!("{}/../../programs/p4/{name}", env!("CARGO_MANIFEST_DIR"))
}

impl Ready {
    /// Fits the program to a machine with ample resources, or returns the report of why even that machine cannot hold
    /// it.
    pub fn pipeline(&self, kind: PipelineMachine, stages: Stages) -> Result<Pipeline, String> {
        let target = match stages {
            Stages::Banzai => Target::default(),
            Stages::MatchAction => Target::match_action(),
        };
        let target = Target {
            depth: 400,
            stateful_per_stage: 64,
            atom: passes::ANY_ATOM.to_owned(),
            operations: Operations { shift: true, multiply: true, divide_by_constant: true, divide: true },
            ..target
        };
        let layout = match kind {
            PipelineMachine::Banzai => Layout::Single,
            PipelineMachine::Mp5 | PipelineMachine::Recirculating => Layout::Steered { flow_order: Vec::new() },
        };
        let compiled = passes::compile(&self.flattened.flat, &target, layout, &mut ());
        compiled.map(|compiled| compiled.pipeline).map_err(|failure| failure.to_string())
    }

    pub fn machine(&self, kind: PipelineMachine, pipeline: &Pipeline) -> Box<dyn Device> {
        let edge = ProgramEdge::new(&self.flattened).unwrap();
        match kind {
            PipelineMachine::Banzai => {
                self.filled(Banzai::new(pipeline, edge, banzai::BanzaiParameters::default()).unwrap())
            }
            PipelineMachine::Mp5 => {
                let parameters = mp5::Mp5Parameters { remap_period: 32, ..mp5::Mp5Parameters::default() };
                self.filled(Mp5::new(pipeline, edge, parameters).unwrap())
            }
            PipelineMachine::Recirculating => {
                let parameters = recirculating::RecirculatingParameters {
                    ports: 8,
                    ..recirculating::RecirculatingParameters::default()
                };
                self.filled(recirculating::build(pipeline, edge, parameters).unwrap())
            }
        }
    }

    /// Returns the machine with the program's control plane, after all requests that the switch accepts.
    fn filled<P: Pipelines + 'static>(&self, machine: Pipelined<P>) -> Box<dyn Device>
    where
        Pipelined<P>: Device,
    {
        let Loaded { program, info, requests, .. } = &self.loaded;
        let mut machine = machine.of_packet_program(program, info.clone(), &self.flattened);
        for request in requests {
            let _ = machine.execute(request);
        }
        Box::new(machine)
    }

    /// Compares a pipeline on a machine with the switch.
    pub fn compare(&self, kind: PipelineMachine, pipeline: &Pipeline) -> Comparison {
        self.with_subject(&|| self.machine(kind, pipeline), |subject| subject.compare(self.packets.clone()))
    }

    /// Returns the fewest packets that show a difference on a machine, and the witness.
    pub fn witness(&self, name: &str, make_machine: &dyn Fn() -> Box<dyn Device>) -> Option<(Shrunk, Witness)> {
        self.with_subject(make_machine, |subject| {
            let shrunk = subject.shrink(|| self.packets.iter().cloned(), Effort::items(100_000))?;
            let reference = (subject.make_reference)();
            let packets = shrunk.packets.clone();
            let witness = Witness::of(reference, &mut *make_machine(), name, packets, subject.rules);
            Some((shrunk, witness))
        })
    }

    fn with_subject<T>(&self, make_machine: &dyn Fn() -> Box<dyn Device>, run: impl FnOnce(&Subject<'_>) -> T) -> T {
        let make_reference =
            || Reference::of_packets(&self.flattened, &self.loaded.program, Box::new(self.loaded.switch())).unwrap();
        run(&Subject { make_reference: &make_reference, make_machine, rules: &Rules::default() })
    }
}
