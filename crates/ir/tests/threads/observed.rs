//! What an observer is told of a thread.

use ir::interpret::Observer;
use ir::interpret::threads::{Request, Start, Step, Thread, ThreadEnding, Ticket};
use ir::threads::InstructionId;
use ir::{Program, VariableId, print};
use runtime::Bits;

use crate::support::{Running, sequence, text};

struct Events<'p> {
    program: &'p Program,
    told: Vec<String>,
}

impl Observer for Events<'_> {
    fn executed(&mut self, instruction: InstructionId) {
        let threads = self.program.threads.as_ref().unwrap();
        self.told.push(print::threads::instruction(threads, instruction).to_string());
    }

    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        self.told.push(format!("{}: {old} to {new}", print::variable(self.program, variable)));
    }

    fn stored(&mut self, from: u64, width: u16, value: u64) {
        self.told.push(format!("{width} bits from {from}: {value}"));
    }

    fn requested(&mut self, ticket: Ticket, request: &Request) {
        self.told.push(format!("asks {} {}", ticket.0, request.name()));
    }

    fn replied(&mut self, ticket: Ticket, reply: &[u8]) {
        self.told.push(format!("reply {} {reply:?}", ticket.0));
    }

    fn copied(&mut self, address: u64, bytes: &[u8]) {
        self.told.push(format!("{} bytes to {address}", bytes.len()));
    }

    fn thread_ended(&mut self, ending: ThreadEnding) {
        self.told.push(format!("{ending:?}"));
    }
}

#[test]
fn everything_is_told_in_the_order_in_which_it_happens() {
    let lines = "a = 1u64\nb = 0u64\nmemory(9u8, 4, 12) = 5u12\n\nread 0u8, 8 -> a\n\nread 8u8, 8 -> memory 0u8\n\n\
                 c = memory(a << 60u8, 0, 64)";
    let mut running = Running::new(&text("segment m: on_chip at 0 size 64 = [3, 7]", &sequence(lines)));
    let program = running.code.program().clone();
    let mut events = Events { program: &program, told: Vec::new() };
    let mut thread = Thread::new(&running.code, &Start::packet(0, &[1], running.now)).unwrap();
    loop {
        match thread.step(&running.code, &mut events) {
            Step::Done => (),
            Step::Asks(ticket) => {
                let (code, state) = (&running.code, &mut running.state);
                thread.perform(code, state, ticket, running.now, &mut running.outputs, &mut events);
            }
            Step::Waits => panic!("every transaction is answered"),
            Step::Ended(_) => break,
        }
    }
    assert_eq!(
        events.told,
        [
            "start",
            "a: 0 to 1",
            "12 bits from 76: 5",
            "i1",
            "asks 0 read",
            "reply 0 [0, 0, 0, 0, 0, 0, 0, 3]",
            "a: 1 to 3",
            "i2",
            "asks 1 read",
            "reply 1 [0, 0, 0, 0, 0, 0, 0, 7]",
            "8 bytes to 0",
            "i3",
            "Fault(LocalMemory)",
        ]
    );
}
