//! Loads a program and runs it on any machine.
//!
//! Begin with [`LoadedProgram`], which reads a program in any of the languages, and [`kinds`], the registry of
//! machines. [`Run`] runs a program on packets, and [`CheckPlan`] compares machines with the interpreter. [`Entries`]
//! fill the tables of a program, [`packet_test`] runs STF files, and [`trace_packet`] shows what happens to one packet.
//!
//! The crate knows machines by name and option only. It knows nothing of networks, of papers, or of the inside of any
//! machine.
//!
//! ```
//! use workbench::kinds::{self, Settings};
//!
//! let program = workbench::shipped_program("flowlet").unwrap_or_else(|failure| panic!("{}", failure.render(false)));
//! let machine = kinds::usual(&program);
//! assert_eq!(machine.name(), "banzai");
//! let fitted = machine.fit(&program, &Settings::default());
//! let fitted = fitted.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
//! let stages = fitted.compiled().expect("a pipeline has stages").pipeline.depth();
//! assert!(stages > 1);
//! ```

mod activity;
mod check;
mod entries;
mod fit;
pub mod kinds;
mod machine;
mod memory_need;
pub mod packet_test;
mod placement;
mod ports;
mod program;
pub mod run;
mod shipped;
mod stage_map;
mod summary;
mod trace;
mod words;

pub use activity::{Activity, Counted};
pub use check::{CheckPlan, Checked, MadePackets, ReadyMachine};
pub use entries::Entries;
pub use fit::{CodeletRow, FitReport, fit};
pub use machine::{KnownLoad, MachinePlan};
pub use placement::Placement;
pub use ports::{check_port, no_such_port};
pub use program::{
    FittedProgram, Language, LoadOptions, LoadedProgram, ParsedP4, STAGES, add_file, read_pipeline, stage,
};
pub use run::{ReadyRun, Run};
pub use shipped::{shipped_capture, shipped_program};
pub use stage_map::StageMap;
pub use summary::Summary;
pub use trace::{trace_nth, trace_packet};
