//! Threads that share memory.

use machines::trio::TrioParameters;

use crate::bench::{Bench, text};

/// Each thread adds 1 so many times to the word that its packet names, without waiting.
fn adder() -> String {
    let instructions = "\
instruction start {
  a = 100u64
  goto add
}
instruction add {
  async add (0u48 ++ memory(64u16, 0, 16)), (1u32)
  a = a - 1u64
  goto done if a == 1u64
  goto add
}
instruction done {
  end
}";
    text("segment words: on_chip at 0 size 1024", instructions)
}

/// Returns the additions of a nanosecond when the packets of all threads of a chip name one of so many lines, and the sum of
/// all words.
fn additions(lines: u16) -> (f64, u64) {
    let parameters = TrioParameters { ppes: 32, ..TrioParameters::default() };
    let mut bench = Bench::new(&adder(), parameters);
    for number in 0..640_u16 {
        bench.offer(0, 0, &(number % lines * 64).to_be_bytes());
    }
    bench.finish();
    let last = bench.seen.discarded.iter().map(|(at, _)| *at).max().expect("640 packets");
    let word = |line: u64| {
        let mut bytes = [0; 4];
        bench.chip.program_state().memory.read(line * 64, &mut bytes).expect("inside");
        u64::from(u32::from_be_bytes(bytes))
    };
    assert_eq!(bench.counter("faults"), 0);
    (64_000.0 / last as f64, (0..16).map(word).sum())
}

/// One engine does 0.5 additions a nanosecond, and twelve 6 (section 6.3). The sum is exact, however many threads add at once.
#[test]
fn all_threads_add_to_one_word_or_to_twelve() {
    let (rate, sum) = additions(1);
    assert_eq!(sum, 64_000);
    assert!((0.495..=0.5).contains(&rate), "{rate}");
    let (rate, sum) = additions(12);
    assert_eq!(sum, 64_000);
    assert!((5.7..=6.0).contains(&rate), "{rate}");
}
