//! The simplest machine that runs a flattened program: the parser, the flat program and the deparser, one packet at a
//! time.

use std::sync::Arc;

use arch::{IntrinsicValue, Stage};
use basis::{Instant, Random};
use ir::Program;
use ir::interpret::{Ending, Interpreter, Packet, PacketInterpreter, Surroundings, Undefined, Unobserved};
use passes::flatten::Flattened;
use runtime::{Bits, ProgramState};

pub struct Pipelined {
    pub flattened: Flattened,
    edges: PacketInterpreter,
    state: ProgramState,
    flat: Interpreter,
}

impl Pipelined {
    pub fn new(flattened: Flattened) -> Self {
        let edges = PacketInterpreter::new(Arc::new(flattened.edges.clone()));
        let state = flattened.edges.initial_state();
        let mut flat = Interpreter::new(&flattened.flat);
        for counter in &flattened.direct_counters {
            let table = &mut flat.state_mut().tables[counter.table.index()];
            *table = table.clone().with_counters();
        }
        Self { edges, state, flat, flattened }
    }

    /// Copies the state that the control plane of a switch running the original has set.
    pub fn follow(&mut self, original: &ProgramState) {
        self.state.value_sets.clone_from(&original.value_sets);
        let state = self.flat.state_mut();
        state.tables.clone_from(&original.tables);
        state.profiles.clone_from(&original.profiles);
        let (wide, length) = (|at: usize| original.registers.stride(at), |at: usize| original.registers.size(at));
        for part in &self.flattened.registers {
            let at = part.original.index();
            let limbs = original.registers.array(at);
            for place in 0..length(at) {
                let limb = limbs[place * wide(at) + (part.low / 64) as usize];
                state.registers.array_mut(part.register.index())[place] = limb;
            }
        }
        for part in &self.flattened.counters {
            for (place, count) in original.counters[part.counter.index()].counts().iter().enumerate() {
                for (register, value) in [(part.packets, count.packets), (part.bytes, count.bytes)] {
                    if let Some(register) = register {
                        state.registers.array_mut(register.index())[place] = value;
                    }
                }
            }
        }
    }

    /// Returns all differences from the state of a switch that runs the original.
    pub fn differences(&mut self, original: &ProgramState) -> Vec<String> {
        let state = self.flat.state_mut();
        let mut found = Vec::new();
        for part in &self.flattened.registers {
            let at = part.original.index();
            let limbs = original.registers.array(at);
            let stride = original.registers.stride(at);
            let expected = limbs.iter().skip((part.low / 64) as usize).step_by(stride).copied();
            let own = state.registers.array(part.register.index());
            if let Some(place) = expected.clone().zip(own).position(|(expected, own)| expected != *own) {
                let name = &self.flattened.flat.register(part.register).name;
                let expected = expected.clone().nth(place).unwrap_or_default();
                found.push(format!("{name}[{place}] is {} and not {expected}", own[place]));
            }
        }
        for part in &self.flattened.counters {
            for (place, count) in original.counters[part.counter.index()].counts().iter().enumerate() {
                for (register, value) in [(part.packets, count.packets), (part.bytes, count.bytes)] {
                    let own = register.map(|register| state.registers.array(register.index())[place]);
                    if own.is_some_and(|own| own != value) {
                        found.push(format!("{:?}[{place}] is {own:?} and not {value}", part.counter));
                    }
                }
            }
        }
        for counter in &self.flattened.direct_counters {
            let at = counter.table.index();
            let (own, expected) = (&state.tables[at], &original.tables[at]);
            for (handle, _) in expected.matches().entries() {
                if own.counter(handle) != expected.counter(handle) {
                    let name = &self.flattened.flat.tables[at].name;
                    found.push(format!(
                        "entry {handle:?} of {name}: {:?}, not {:?}",
                        own.counter(handle),
                        expected.counter(handle)
                    ));
                }
            }
        }
        found
    }

    /// Processes a packet, and returns the port by which it leaves and its bytes; `None` if it is dropped.
    pub fn packet(&mut self, now: Instant, port: u16, bytes: &[u8]) -> Option<(u64, Vec<u8>)> {
        let edges = self.edges.program().clone();
        let metadata = self.flattened.architecture.metadata_of(&edges);
        let mut packet = Packet::new(&edges, bytes.to_vec());
        let length = bytes.len() as u64;
        for (variable, value) in metadata.before_parser {
            let value = match value {
                IntrinsicValue::ArrivalPort => port.into(),
                IntrinsicValue::Length => length,
                IntrinsicValue::Time => now.microseconds(),
                IntrinsicValue::Constant(value) => value,
                _ => 0,
            };
            packet.set(&edges, variable, value);
        }
        let error = match self.run(&edges, Stage::Parser, &mut packet, now) {
            Ending::Rejected(error) => error.0,
            ending => {
                assert_eq!(ending, Ending::Done);
                0
            }
        };
        for (variable, value) in metadata.after_parser {
            assert_eq!(value, IntrinsicValue::ParserError);
            packet.set(&edges, variable, error.into());
        }
        let mut values = vec![0; self.flattened.flat.variables.len()];
        for carried in self.flattened.carried.iter().filter(|carried| carried.arrives) {
            let value = &packet.values[carried.variable.index()];
            values[carried.field.index()] = value.slice(carried.low + carried.width - 1, carried.low).low();
        }
        for (name, field) in &self.flattened.intrinsics {
            match name.as_str() {
                "$length" => values[field.index()] = length,
                "$time" => values[field.index()] = now.microseconds(),
                "$position" => values[field.index()] = packet.position as u64,
                _ => {}
            }
        }
        self.flat.packet(&mut values);
        self.count(&values, length);
        if values[self.flattened.dropped.index()] != 0 {
            return None;
        }
        let mut leaving = Packet::new(&edges, bytes.to_vec());
        leaving.position = packet.position;
        for carried in self.flattened.carried.iter().filter(|carried| carried.leaves) {
            let width = edges.variable(carried.variable).ty.width();
            let mut limbs = leaving.values[carried.variable.index()].limbs().to_vec();
            limbs[(carried.low / 64) as usize] = values[carried.field.index()];
            leaving.values[carried.variable.index()] = Bits::from_limbs(&limbs, width);
        }
        assert_eq!(self.run(&edges, Stage::Deparser, &mut leaving, now), Ending::Done);
        Some((values[self.flattened.egress_port.index()], leaving.leaving()))
    }

    fn count(&mut self, values: &[u64], length: u64) {
        for counter in &self.flattened.direct_counters {
            if values[counter.hit.index()] != 0 {
                let keys: Vec<u64> = counter.keys.iter().map(|key| values[key.index()]).collect();
                let table = &mut self.flat.state_mut().tables[counter.table.index()];
                let entry = table.lookup_words(&keys).expect("an entry matched these keys");
                table.count(entry, 1, length);
            }
        }
    }

    fn run(&mut self, edges: &Program, stage: Stage, packet: &mut Packet, now: Instant) -> Ending {
        let block = edges.entrance(self.flattened.architecture.main_block(stage).name).expect("an edge");
        let (mut random, mut undefined, mut observer) = (Random::new(0), Undefined::Zero, Unobserved);
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now,
            length: packet.bytes.len() as u64,
            packets: 1,
            random: &mut random,
            undefined: &mut undefined,
            observer: &mut observer,
        };
        let mut requests = Vec::new();
        let ending = self.edges.run(block, packet, &mut surroundings, &mut requests);
        assert!(requests.is_empty(), "an edge asks for nothing: {requests:?}");
        ending
    }
}
