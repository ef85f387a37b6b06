//! The microbenchmarks of MP5's design principles (section 4.3.2), which show what dynamic sharding, phantom packets
//! and crossbars gain by running without them.

mod method;
mod order;
mod run;
mod states;

pub use method::PrinciplesMethod;
pub use order::{AccessLog, Violations};
pub use run::{PrincipleOutcome, run_principle};
pub use states::States;
