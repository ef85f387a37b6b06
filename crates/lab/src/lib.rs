//! Labs: hosts of Linux around live switches, made of network namespaces and veth pairs.
//!
//! A [`plan`] says which hosts, switches and links there are. [`up()`] makes them, and [`Labs`] finds those that are there:
//! whatever a lab has made stands in a file of its folder before it is made, so that [`down()`] finds and removes it even if
//! everything was killed. A switch is a process of its own, `polyplane live` with a plan that the lab writes. The crate knows
//! which files, namespaces, interfaces and processes there are; it never knows which program or machine runs.
//!
//! ```
//! use files::PlanText;
//!
//! # let folder = std::env::temp_dir().join(format!("polyplane-lab-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! std::fs::write(folder.join("wire.p4"), "…").unwrap();
//! let text = r#"
//!     program = "wire.p4"
//!     host = [{ name = "h1", address = "10.0.0.1/24" }, { name = "h2", address = "10.0.0.2/24" }]
//!     switch = [{ name = "s1" }]
//!     link = [{ between = ["h1", "s1-p1"] }, { between = ["h2", "s1-p2"], delay = "5 ms" }]
//! "#;
//! let text = PlanText { name: "pair".into(), path: "pair.toml".into(), text: text.into(), folder };
//! let read = lab::plan::read(&text, &lab::plan::Options::default()).expect("a plan");
//! assert_eq!(read.plan.link_name(&read.plan.links[1]), "h2-s1");
//! # std::fs::remove_dir_all(&text.folder).unwrap();
//! ```
#![cfg(unix)]

mod down;
mod inside;
mod ip;
mod link;
mod namespace;
pub mod plan;
mod process;
mod remains;
mod rights;
mod state;
mod status;
mod switch_file;
mod up;

pub use down::{Left, down};
pub use inside::command;
pub use link::set as set_link;
pub use rights::check as check_rights;
pub use state::{Host, Lab, Labs, Link, LinkEnd, Namespace, Switch};
pub use status::{Status, status};
pub use up::{Up, UpOptions, restart, up};
