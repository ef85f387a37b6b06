//! Several threads in a given order, transactions that are answered later, and threads that are written down.

use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Instant, Random};
use ir::interpret::Unobserved;
use ir::interpret::threads::{
    Bytes, Interleaving, ReplayedThread, Start, Step, Thread, ThreadCode, ThreadEnding, Ticket,
};

use crate::support::{program, sequence, text};

const MEMORY: &str = "segment m: on_chip at 0 size 4096";

fn code(lines: &str) -> ThreadCode {
    ThreadCode::new(Arc::new(program(&text(MEMORY, &sequence(lines)))))
}

fn thread(code: &ThreadCode) -> Thread {
    Thread::new(code, &Start::packet(0, &[1, 2, 3], Instant::ZERO)).unwrap()
}

#[test]
fn a_thread_waits_for_a_synchronous_transaction_and_not_for_another() {
    let code = code("read 0u8, 8 -> a\n\nb = a + 1u64\nasync read 8u8, 8 -> c\n\na = 5u64\n\nwaits\nb = c");
    let mut thread = thread(&code);
    let observer = &mut Unobserved;
    assert_eq!(thread.step(&code, observer), Step::Asks(Ticket(0)));
    assert_eq!((thread.step(&code, observer), thread.step(&code, observer)), (Step::Waits, Step::Waits));
    thread.answer(&code, Ticket(0), &Bytes::of_words(&[41]), observer);
    assert_eq!(thread.step(&code, observer), Step::Asks(Ticket(1)));
    assert_eq!(thread.variables()[..3], [41, 42, 0]);
    assert_eq!(thread.step(&code, observer), Step::Done);
    assert_eq!((thread.step(&code, observer), thread.executed()), (Step::Waits, 3));
    thread.answer(&code, Ticket(1), &Bytes::of_words(&[7]), observer);
    assert_eq!(thread.step(&code, observer), Step::Ended(ThreadEnding::Done));
    assert_eq!(thread.variables()[..3], [5, 7, 7]);
    assert_eq!(thread.step(&code, observer), Step::Ended(ThreadEnding::Done));
}

#[test]
fn a_thread_ends_after_its_last_reply_but_does_not_wait_for_asynchronous_ones() {
    let last = code("read 0u8, 8 -> a");
    let mut waiting = thread(&last);
    assert_eq!(
        (waiting.step(&last, &mut Unobserved), waiting.step(&last, &mut Unobserved)),
        (Step::Asks(Ticket(0)), Step::Waits)
    );
    waiting.answer(&last, Ticket(0), &Bytes::of_words(&[1]), &mut Unobserved);
    assert_eq!(waiting.step(&last, &mut Unobserved), Step::Ended(ThreadEnding::Done));
    let last = code("async add 0u8, (5u32)");
    let mut all = Interleaving::new(&last, last.program().initial_state());
    let number = all.add(thread(&last));
    assert_eq!(all.finish(number, &mut Unobserved), Some(ThreadEnding::Done));
    // The transaction still takes effect.
    assert!(all.apply(number, Ticket(0), Instant::ZERO, &mut Unobserved));
    let mut bytes = [0; 4];
    all.state.memory.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 0, 5]);
}

#[test]
fn transactions_of_a_thread_that_touch_the_same_keep_their_order() {
    let code = code(
        "async write 0u8, (1u64)\n\nasync write 64u8, (2u64)\n\nasync write 8u8, (3u64)\n\nasync time\n\nasync time",
    );
    let mut all = Interleaving::new(&code, code.program().initial_state());
    let number = all.add(thread(&code));
    all.finish(number, &mut Unobserved);
    let may: Vec<bool> = (0..5).map(|ticket| all.threads()[0].may_apply(Ticket(ticket))).collect();
    assert_eq!(may, [true, true, false, true, true]);
    assert!(!all.apply(number, Ticket(2), Instant::ZERO, &mut Unobserved));
    assert!(all.apply(number, Ticket(0), Instant::ZERO, &mut Unobserved));
    assert!(!all.apply(number, Ticket(0), Instant::ZERO, &mut Unobserved), "it has been answered");
    assert!(all.apply(number, Ticket(2), Instant::ZERO, &mut Unobserved));
}

/// Each of some threads reads a word, adds 1 and writes it back, and also adds 1 by a transaction.
const COUNT: &str = "read 0u8, 8 -> a\n\na = a + 1u64\n\nwrite 0u8, (a)\n\nadd 64u8, (1u32)";

#[test]
fn adds_are_exact_in_any_order_and_other_updates_are_not() {
    let code = code(COUNT);
    let mut lost = false;
    for seed in 0..50 {
        let mut all = Interleaving::new(&code, code.program().initial_state());
        (0..10).for_each(|_| _ = all.add(thread(&code)));
        let mut random = Random::new(seed);
        let mut left: Vec<usize> = (0..10).collect();
        while !left.is_empty() {
            let place = (random.bits() % left.len() as u64) as usize;
            let number = left[place];
            match all.step(number, &mut Unobserved) {
                Step::Waits => {
                    let ticket = all.threads()[number].pending().next().expect("it waits for one").0;
                    assert!(all.apply(number, ticket, Instant::ZERO, &mut Unobserved));
                }
                Step::Ended(ending) => {
                    assert_eq!(ending, ThreadEnding::Done);
                    left.swap_remove(place);
                }
                Step::Done | Step::Asks(_) => (),
            }
        }
        let word = |address| {
            let mut bytes = [0; 4];
            all.state.memory.read(address, &mut bytes).unwrap();
            u32::from_be_bytes(bytes)
        };
        assert_eq!(word(64), 10);
        lost |= word(4) < 10;
    }
    assert!(lost, "updates that are not one transaction can be lost");
}

/// Runs two threads of [`COUNT`] again, in an order of transactions, each of which is answered at once, and returns the word that both
/// change.
fn counted_again(code: &ThreadCode, order: &[(usize, u64)]) -> u64 {
    let mut state = code.program().initial_state();
    let mut threads = [0; 2].map(|_| ReplayedThread::new(thread(code)));
    for &(number, ticket) in order {
        let replayed = &mut threads[number];
        assert!(replayed.take(code, &mut state, Ticket(ticket), Instant::ZERO, &mut Vec::new()), "{number} {ticket}");
        let executed = replayed.thread().executed();
        assert!(replayed.reply(code, Ticket(ticket), executed));
    }
    assert_eq!(threads.each_mut().map(|replayed| replayed.go_on(code)), [Some(ThreadEnding::Done); 2]);
    let mut bytes = [0; 8];
    state.memory.read(0, &mut bytes).unwrap();
    u64::from_be_bytes(bytes)
}

#[test]
fn an_order_of_transactions_is_replayed() {
    let code = code(COUNT);
    assert_eq!(counted_again(&code, &[(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2)]), 2);
    assert_eq!(counted_again(&code, &[(0, 0), (1, 0), (1, 1), (0, 1), (1, 2), (0, 2)]), 1);
    // A transaction cannot take effect before an earlier one that the thread waits for.
    let mut replayed = ReplayedThread::new(thread(&code));
    let state = &mut code.program().initial_state();
    assert!(!replayed.take(&code, state, Ticket(1), Instant::ZERO, &mut Vec::new()));
}

/// The time at which a reply comes is told by the number of instructions that the thread has executed until then.
#[test]
fn a_reply_is_replayed_when_the_machine_gave_it() {
    let code = code("async read 0u8, 8 -> a\n\nb = a\n\nc = a\n\nasync write 0u8, (7u64)");
    let after = |executed: u64| {
        let mut replayed = ReplayedThread::new(thread(&code));
        let state = &mut code.program().initial_state();
        state.memory.write(0, &5_u64.to_be_bytes()).unwrap();
        assert!(replayed.take(&code, state, Ticket(0), Instant::ZERO, &mut Vec::new()));
        assert!(!replayed.take(&code, state, Ticket(0), Instant::ZERO, &mut Vec::new()), "it has taken effect");
        let is_possible = replayed.reply(&code, Ticket(0), executed);
        assert!(!replayed.reply(&code, Ticket(0), executed), "it has been answered");
        assert_eq!(replayed.go_on(&code), None);
        is_possible.then(|| replayed.thread().variables()[1..3].to_vec())
    };
    assert_eq!([1, 2, 3].map(after), [Some(vec![5, 5]), Some(vec![0, 5]), Some(vec![0, 0])]);
    assert_eq!(after(9), None, "it has only four instructions");
}

#[test]
fn a_thread_is_written_down_while_it_waits() {
    let code = code("a = 9u64\n\nread 0u8, 8 -> b\n\nc = a + b");
    let mut thread = thread(&code);
    thread.step(&code, &mut Unobserved);
    thread.step(&code, &mut Unobserved);
    let mut saver = Saver::default();
    thread.save(&mut saver).unwrap();
    let bytes = saver.into_bytes();
    let mut copy = Thread::new(&code, &Start::packet(0, &[], Instant::ZERO)).unwrap();
    copy.restore(&mut Loader::new(&bytes)).unwrap();
    assert_eq!(copy.pending().collect::<Vec<_>>(), thread.pending().collect::<Vec<_>>());
    copy.answer(&code, Ticket(0), &Bytes::of_words(&[5]), &mut Unobserved);
    assert_eq!(copy.step(&code, &mut Unobserved), Step::Ended(ThreadEnding::Done));
    assert_eq!((copy.variables()[2], copy.executed()), (14, 3));
    assert_eq!(copy.local_memory()[64..67], [1, 2, 3]);
}
