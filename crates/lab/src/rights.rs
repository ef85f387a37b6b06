//! Whether labs can be made here: rights, tools.

use std::fs;
use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Failure, Sources};
use rustix::fs::{Access, access};

use crate::namespace::NAMES;
use crate::plan::LabPlan;

/// The capabilities that a lab needs, each with its bit (capabilities(7)) and what it is needed for.
const CAPABILITIES: [(&str, u32, &str); 3] = [
    ("CAP_SYS_ADMIN", 21, "to make network namespaces and enter them"),
    ("CAP_NET_ADMIN", 12, "to make links and addresses"),
    ("CAP_NET_RAW", 13, "to take frames from interfaces"),
];

/// How to get the rights.
const HINT: &str = "run it with `sudo`, or in namespaces of your own, where the kernel allows them: `unshare --user \
                    --map-root-user --net --mount sh -c 'mount -t tmpfs tmpfs /run && ip link set lo up && exec \"$SHELL\"'`";

/// Packages that have the tools which plans of labs use, where they have other names.
const PACKAGES: [(&str, &str); 6] = [
    ("route", "net-tools"),
    ("arp", "net-tools"),
    ("ifconfig", "net-tools"),
    ("ip", "iproute2"),
    ("ping", "iputils-ping"),
    ("sysctl", "procps"),
];

/// Checks that this process may make labs, and that the tools are there which a plan needs.
///
/// # Errors
/// Fails with everything that is missing.
pub fn check(plan: Option<&LabPlan>) -> Result<(), Failure> {
    let mut missing = Diagnostics::new();
    let capabilities = effective_capabilities();
    let lacking: Vec<String> = CAPABILITIES
        .iter()
        .filter(|(_, bit, _)| capabilities >> bit & 1 == 0)
        .map(|(name, _, purpose)| format!("{name} {purpose}"))
        .collect();
    let names = if Path::new(NAMES).exists() { NAMES } else { "/run" };
    if !lacking.is_empty() {
        let message = format!("a lab needs rights that are missing here: {}", lacking.join(", "));
        missing.push(Diagnostic::without_place(message).hint(HINT));
    } else if access(names, Access::WRITE_OK).is_err() {
        let message = format!("a lab keeps names of network namespaces in {NAMES}, and {names} cannot be written");
        missing.push(Diagnostic::without_place(message).hint(HINT));
    }
    let mut tools = vec!["ip"];
    tools.extend(
        plan.into_iter().flat_map(|plan| &plan.hosts).flat_map(|host| &host.commands).filter_map(|line| tool(line)),
    );
    tools.sort_unstable();
    tools.dedup();
    for tool in tools.into_iter().filter(|tool| !is_there(tool)) {
        let package = PACKAGES.iter().find(|(name, _)| *name == tool).map_or(tool, |(_, package)| package);
        let error = Diagnostic::without_place(format!("the command `{tool}` is missing"));
        missing.push(error.hint(format!("`apt install {package}` or the like installs it")));
    }
    missing.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
}

/// Returns the capabilities of this process as bits; none where the system does not tell.
fn effective_capabilities() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0)
}

/// Returns the tool that a line for a shell runs, if the line says so plainly.
fn tool(line: &str) -> Option<&str> {
    let word = line.split_whitespace().next()?;
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    const OF_THE_SHELL: [&str; 16] = [
        "cd", "echo", "exec", "export", "for", "if", "while", "set", "sleep", "test", "true", "false", "ulimit",
        "umask", "until", "case",
    ];
    (is_plain && !OF_THE_SHELL.contains(&word)).then_some(word)
}

fn is_there(tool: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(tool).is_file())
}
