//! Quantities as people write them: `450kB`, `2 MiB`, `1.5us`, `100 Gb/s`, `50%`.
//!
//! Prefixes are decimal, as on every data sheet of a network; `KiB`, `MiB` and `GiB` are binary (IEC 80000-13). Numbers
//! are read in integers: a quantity is exact, or rounded down to a whole unit.

mod read;
mod write;

pub use read::{bytes, count, duration, rate, share};
pub use write::{bytes_text, duration_text};

/// Units of bytes: [`DECIMAL`] decimal ones from the smallest, then the binary ones.
const BYTES: [(&str, u64); 7] = [
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
const DECIMAL: usize = 4;

/// Units of time from the smallest, in picoseconds.
const TIMES: [(&str, u64); 5] =
    [("ps", 1), ("ns", 1000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
