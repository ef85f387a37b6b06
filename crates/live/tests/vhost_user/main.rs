//! Network cards of virtual machines by vhost-user, against a front end with a guest's queues, and against that of DPDK.

#![cfg(target_os = "linux")]

mod connecting;
mod frames;
mod guest;
mod hostile;
mod link;
mod messages;
mod testpmd;
