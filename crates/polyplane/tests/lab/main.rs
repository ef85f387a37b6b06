//! Labs as a person uses them, each test in user, network, mount and process namespaces of its own, so that no test can
//! leave anything behind. Where the kernel or a tool is missing, a test says so.

#![cfg(target_os = "linux")]

mod files;
mod links;
mod places;
mod remains;
mod removal;
mod rights;
mod site;
