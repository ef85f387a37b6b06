//! What the machines do, stated as packets.

mod equality;
mod figure3;
mod generate;
mod support;
