//! In-network aggregation: sums of tensors over the workers of a job, which switches help to form.
//!
//! A *job* has workers, which each contribute values to the same tensors, and perhaps servers. A [`Collective`] is one
//! worker's side of the scheme that carries a job: it reads the worker's contributions ([`Gradients`]) while it sends
//! them, and reports the sums that come out ([`Outcomes`]), each with the number of workers whose values it contains. What
//! a worker wants summed, and when, is said by its [`Job`]. Whoever plans a job says who takes part in a [`Setup`].
//!
//! A host runs a [`Participant`] beside its transport: [`Worker`], which joins a job and a collective, or [`Server`].

pub mod atp;
mod collective;
mod fixed_point;
mod gradients;
mod job;
pub mod messages;
mod outcomes;
mod participant;
mod setup;
pub mod switchml;
pub mod trio_ml;

pub use collective::{Collective, Member, Tensor};
pub use fixed_point::FixedPoint;
pub use gradients::Gradients;
pub use job::Job;
pub use outcomes::{Outcome, Outcomes, Sum};
pub use participant::{Change, Participant, Server, Timetable, Worker};
pub use setup::{Setup, WorkerPlace};
