//! ATP: "ATP: In-network Aggregation for Multi-tenant Learning" (Lao et al., NSDI 2021): jobs that share the aggregators of a
//! switch (section 5.4.2, the method `sharing`).
//!
//! The networks that experiments run are also plans of `polyplane sim`.

mod sharing;
mod shipped;
mod suite;

pub use suite::suite;
