//! Where threads go: branches of many ways, jumps, subroutines, ends.

use basis::Instant;
use ir::interpret::threads::{Fault, Start, Thread, ThreadEnding};
use ir::threads::{Cause, TimerId};

use crate::support::{Running, text};

#[test]
fn the_first_condition_that_holds_decides() {
    let arms = |number| format!("instruction i{number} {{\n  b = {number}u64\n  end\n}}\n");
    let program = "instruction start {\n  goto i1 if memory(64u8, 0, 8) == 1u8\n  goto i2 if memory(64u8, 0, 8) < 3u8\n  \
                   goto i3 if memory(64u8, 0, 8) == 3u8\n  goto i4\n}\n";
    let all = program.to_owned() + &(1..5).map(arms).collect::<String>();
    let mut running = Running::new(&text("", &all));
    for (first, arm) in [(0, 2), (1, 1), (2, 2), (3, 3), (4, 4)] {
        let (_, thread) = running.packet(0, &[first]);
        assert_eq!(thread.variables()[1], arm);
    }
}

#[test]
fn jumps_lead_to_the_instruction_of_a_number() {
    let program = "instruction start {\n  a = 0u56 ++ memory(64u8, 0, 8)\n  jump memory(64u8, 0, 8)\n}\n\
                   instruction one {\n  b = 1u64\n  end\n}\ninstruction two {\n  b = 2u64\n  end\n}\n";
    let mut running = Running::new(&text("", program));
    let mut end = |number: u8| {
        let (ending, thread) = running.packet(0, &[number]);
        (ending, thread.variables()[1])
    };
    assert_eq!((end(1), end(2)), ((ThreadEnding::Done, 1), (ThreadEnding::Done, 2)));
    assert_eq!(end(3), (ThreadEnding::Fault(Fault::NoInstruction), 0));
    // Jumping to itself never ends.
    assert_eq!(end(0), (ThreadEnding::Fault(Fault::TooManyInstructions), 0));
}

#[test]
fn subroutines_return_to_where_their_calls_say() {
    let program = "instruction start {\n  call outer then last\n}\n\
                   instruction outer {\n  a = (a << 4u8) + 1u64\n  call inner then back\n}\n\
                   instruction inner {\n  a = (a << 4u8) + 2u64\n  return\n}\n\
                   instruction back {\n  a = (a << 4u8) + 3u64\n  return\n}\n\
                   instruction last {\n  a = (a << 4u8) + 4u64\n  end\n}\n";
    assert_eq!(Running::new(&text("", program)).abc()[0], 0x1234);
}

#[test]
fn the_depth_of_calls_is_limited_at_run_time() {
    // Verification does not follow the jump.
    let program = |most: u32| {
        format!(
            "instruction start {{\n  call sub then out\n}}\n\
             instruction sub {{\n  a = a + 1u64\n  return if a == {last}u64\n  jump 0u8\n}}\n\
             instruction out {{\n  b = b + 1u64\n  end if b == {last}u64\n  return\n}}\n",
            last = most - 1
        )
    };
    let mut eight = Running::new(&text("", &program(8)));
    assert_eq!(eight.abc()[..2], [8, 8]);
    let (ending, values) = Running::new(&text("", &program(9))).values();
    assert_eq!((ending, values[0]), (ThreadEnding::Fault(Fault::TooManyCalls), 8));
    let (ending, _) = Running::new(&text("", "instruction start {\n  return\n}\n")).values();
    assert_eq!(ending, ThreadEnding::Fault(Fault::ReturnWithoutCall));
}

#[test]
fn threads_that_never_end_are_stopped() {
    let mut running = Running::new(&text("", "instruction start {\n  a = a + 1u64\n  goto start\n}\n"));
    running.code.limit = 1000;
    let (ending, values) = running.values();
    assert_eq!((ending, values[0]), (ThreadEnding::Fault(Fault::TooManyInstructions), 1000));
}

#[test]
fn threads_begin_for_timers_and_events_with_their_argument() {
    let declarations = "timer age period 5\nevent lost\nintrinsic argument = b\nintrinsic cause = c";
    let all = "instruction start {\n  a = 1u64\n  end\n}\ninstruction tick {\n  a = 2u64\n  end\n}\nentrance timer age = instruction tick\n";
    let mut running = Running::new(&text(declarations, all));
    let timer = |argument| Start { cause: Cause::Timer(TimerId(0)), time: Instant::ZERO, argument, packet: None };
    let (ending, thread) = running.run(&timer(7));
    assert_eq!((ending, &thread.variables()[..3]), (ThreadEnding::Done, &[2, 7, 1][..]));
    assert!(!thread.holds_packet());
    // Nothing begins for an event without an entrance.
    let event = Start { cause: Cause::Event(ir::threads::EventId(0)), ..timer(0) };
    assert!(Thread::new(&running.code, &event).is_none());
    // A thread that has ended can begin anew, and nothing of the old one is left.
    let mut thread = thread;
    let packet = [1, 2, 3];
    assert!(thread.begin(&running.code, &Start::packet(1, &packet, Instant::ZERO)));
    assert_eq!((thread.variables(), thread.executed()), (&[0; 5][..], 0));
    assert_eq!(thread.local_memory()[64..68], [1, 2, 3, 0]);
}

#[test]
fn the_flow_of_a_packet_is_what_the_program_chooses() {
    let mut running =
        Running::new(&text("flow (memory(90u8, 0, 32), memory(200u8, 0, 8))", "instruction start {\n  end\n}\n"));
    running.now = Instant::ZERO;
    let bytes: Vec<u8> = (0..200).collect();
    let thread = Thread::new(&running.code, &Start::packet(0, &bytes, Instant::ZERO)).unwrap();
    let mut flow = Vec::new();
    thread.flow(&running.code, &mut flow);
    assert_eq!(flow, [0x1A1B_1C1D, 0]);
}
