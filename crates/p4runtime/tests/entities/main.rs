//! What controllers write is what they read, and what they may not write is refused with the code that the specification
//! gives. The numbers of sections are those of the P4Runtime specification 1.4.

mod batches;
mod bench;
mod keys;
mod p4info;
mod pipes;
mod profiles;
mod random;
mod reads;
mod replication;
mod state;
mod tables;
