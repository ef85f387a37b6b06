//! Quantities as people write them: `450kB`, `2 MiB`, `1.5us`, `100 Gb/s`, `50%`.
//!
//! Prefixes are decimal, as in data sheets of network equipment; `KiB`, `MiB` and `GiB` are binary (IEC 80000-13).
//! Numbers are read without floating point: a quantity is exact, or rounded down to a whole unit. The crate does not
//! know what a quantity measures; callers choose the function for what they expect.
//!
//! ```
//! assert_eq!(units::bytes("1.5KiB"), Ok(1536));
//! assert_eq!(units::share("35%"), Ok(0.35));
//! assert_eq!(units::bytes_text(450_000), "450 kB");
//! assert!(units::duration("5 parsecs").is_err());
//! ```

mod read;
mod write;

pub use read::{bytes, count, duration, frequency, rate, share};
pub use write::{bytes_text, duration_text, frequency_text};

/// The units of bytes: [`DECIMAL`] decimal ones in ascending order, then the binary ones.
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

/// The units of frequencies in hertz, in ascending order.
const FREQUENCIES: [(&str, u64); 4] = [("Hz", 1), ("kHz", 1000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)];

/// The units of time in picoseconds, in ascending order.
const TIMES: [(&str, u64); 5] =
    [("ps", 1), ("ns", 1000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
