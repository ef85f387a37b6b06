//! The events that an observer is told of, and their order.

use ir::interpret::{Observer, Request, Test};
use ir::parser::StateId;
use ir::{
    Block, ErrorId, Flow, FunctionId, HeaderId, Key, ParserId, RegisterId, Statement, Table, TableAction, TableId,
    Type, VariableId,
};
use ir::{CounterId, Expression, Initial, MeterId, Register};
use runtime::tables::{EntryHandle, FieldMatch, MatchKind, TableEntry, Target};
use runtime::{Bits, Color};

use crate::support::*;

#[derive(Default)]
struct Events(Vec<String>);

impl Observer for Events {
    fn read(&mut self, register: RegisterId, place: usize, value: &Bits) {
        self.0.push(format!("register {} at {place} is {value}", register.0));
    }

    fn written(&mut self, register: RegisterId, place: usize, value: &Bits) {
        self.0.push(format!("register {} at {place} becomes {value}", register.0));
    }

    fn counted(&mut self, counter: CounterId, index: Option<u64>) {
        self.0.push(format!("counter {} at {index:?}", counter.0));
    }

    fn measured(&mut self, meter: MeterId, index: Option<u64>, color: Color) {
        self.0.push(format!("meter {} at {index:?} is {color:?}", meter.0));
    }

    fn tested(&mut self, test: Test, _: &Expression, holds: bool, values: &[Bits]) {
        self.0.push(format!("{test:?} {holds} of {} values", values.len()));
    }

    fn selected(&mut self, parser: ParserId, state: StateId, keys: &[Bits], case: Option<usize>) {
        self.0.push(format!("parser {} state {} of {keys:?}: {case:?}", parser.0, state.0));
    }

    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        self.0.push(format!("{} variables from {from}", variables.len()));
    }

    fn asked(&mut self, request: &Request) {
        self.0.push(format!("{request:?}"));
    }

    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        self.0.push(format!("parser {} state {}", parser.0, state.0));
    }

    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        self.0.push(format!("header {} is {bits} bits from {from}", header.0));
    }

    fn emitted(&mut self, header: HeaderId, bits: usize) {
        self.0.push(format!("header {} leaves with {bits} bits", header.0));
    }

    fn rejected(&mut self, parser: ParserId, error: ErrorId) {
        self.0.push(format!("parser {} rejects with {}", parser.0, error.0));
    }

    fn validity(&mut self, header: HeaderId, valid: bool) {
        self.0.push(format!("header {} valid {valid}", header.0));
    }

    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        self.0.push(format!("variable {} from {old} to {new}", variable.0));
    }

    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, target: &Target) {
        let entry = entry.map(|handle| handle.0);
        self.0.push(format!("table {} of {keys:?}: {entry:?} {target:?}", table.0));
    }

    fn entered(&mut self, function: FunctionId) {
        self.0.push(format!("enter {}", function.0));
    }

    fn left(&mut self, function: FunctionId) {
        self.0.push(format!("leave {}", function.0));
    }
}

fn events(running: &mut Running, block: Block, packet: &mut ir::interpret::Packet) -> Vec<String> {
    let mut events = Events::default();
    running.run_observed(block, packet, &mut events);
    events.0
}

#[test]
fn an_observer_sees_a_packet_from_parser_to_deparser() {
    let mut program = empty();
    // Variables 0 and 1 are the validity and the field of header 0.
    let h = header(&mut program, "h", &[("f", 8)]);
    let f = field(&program, h, 0);
    let datum = local(&mut program, "datum", Type::Bits(8));
    program.registers.push(Register { name: "r".into(), ty: Type::Bits(8), length: None, initial: Initial::Fill(3) });
    parser(&mut program, vec![(vec![extract(h), extract(h)], ACCEPT)]);
    let act = action(&mut program, vec![datum], vec![assign(f, Expression::read(RegisterId(0), None))]);
    program.tables.push(Table {
        name: "t".into(),
        keys: vec![Key { name: "f".into(), value: variable(f), kind: MatchKind::Exact }],
        actions: vec![TableAction {
            function: act,
            before: vec![],
            after: vec![],
            only_default: false,
            only_entries: false,
        }],
        default: Target::Action { action: 0, data: vec![bits(1, 8)] },
        is_default_constant: false,
        entries: vec![TableEntry {
            key: vec![FieldMatch::Exact(bits(7, 8))],
            priority: 0,
            target: Target::Action { action: 0, data: vec![bits(2, 8)] },
            is_constant: true,
        }],
        is_constant: true,
        size: None,
        profile: None,
        selector: vec![],
        counter: None,
        meter: None,
        has_idle_timeout: false,
        has_slots: false,
        registers: vec![],
        counts_when_called: false,
    });
    let apply = Statement::Flow(Flow::Apply { table: TableId(0), hit: None, action: None, entry: None });
    let ingress = function(&mut program, vec![apply, emit(h), set_valid(h, false), set_valid(h, false), emit(h)]);
    let mut running = Running::new(program);
    let mut packet = running.packet(&[7]);
    assert_eq!(
        events(&mut running, Block::Parser(ParserId(0)), &mut packet),
        [
            "parser 0 state 0",
            "header 0 is 8 bits from 0",
            "variable 1 from 0 to 7",
            "variable 0 from 0 to 1",
            "parser 0 rejects with 1",
        ]
    );
    assert_eq!(
        events(&mut running, Block::Function(ingress), &mut packet),
        [
            "enter 1",
            "table 0 of [Narrow(7)]: Some(0) Action { action: 0, data: [Narrow(2)] }",
            "variable 2 from 0 to 2",
            "enter 0",
            "register 0 at 0 is 3",
            "variable 1 from 7 to 3",
            "leave 0",
            "header 0 leaves with 8 bits",
            "header 0 valid false",
            "variable 1 from 3 to 0",
            "variable 0 from 1 to 0",
            "leave 1",
        ]
    );
    // The field is 0 now, and the data of the default action has changed.
    let again = events(&mut running, Block::Function(ingress), &mut packet);
    assert_eq!(again[1], "table 0 of [Narrow(0)]: None Action { action: 0, data: [Narrow(1)] }");
}

/// Reads a program of one parser and one function.
fn parsed(text: &str) -> Running {
    let program = ir::parse::program("test.ir", text).unwrap_or_else(|failure| panic!("{failure}"));
    ir::verify::program(&program).unwrap_or_else(|found| panic!("{}", found.join("\n")));
    Running::new(program)
}

#[test]
fn an_observer_sees_decisions_and_shared_state() {
    let mut running = parsed(
        "program test

local seen: bit<8>
local color: bit<2>
register r: bit<8>[4] = fill 0

errors NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument
counter c: packets size 4
meter m: packets size 4

parser p {
  state start {
    lookahead seen
    select (seen) {
      9u8 => accept
      _ => accept
    }
  }
}

control f {
  @r[3u8] = seen
  if seen == 7u8 {
    count c[9u8]
  }
  measure m[1u8] -> color
  while seen < 8u8 {
    seen = seen + 1u8
  } next {
  }
  truncate 5u32
}

entrance parser = parser p
entrance ingress = function f
",
    );
    let mut packet = running.packet(&[7]);
    assert_eq!(
        events(&mut running, Block::Parser(ParserId(0)), &mut packet),
        [
            "parser 0 state 0",
            "1 variables from 0",
            "variable 0 from 0 to 7",
            "parser 0 state 0 of [Narrow(7)]: Some(1)",
        ]
    );
    assert_eq!(
        events(&mut running, Block::Function(FunctionId(0)), &mut packet),
        [
            "enter 0",
            "register 0 at 3 becomes 7",
            "If true of 2 values",
            "counter 0 at Some(9)",
            "meter 0 at Some(1) is Green",
            "Loop true of 2 values",
            "variable 0 from 7 to 8",
            "Loop false of 2 values",
            "Truncate { length: 5 }",
            "leave 0",
        ]
    );
}
