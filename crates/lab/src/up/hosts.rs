//! The commands of hosts.

use std::process::Stdio;

use crate::inside::in_namespace;
use crate::plan::LabPlan;
use crate::state::Lab;

/// Runs the commands of each host in order, those of different hosts at the same time. Returns those that failed, with what
/// they said: as in Mininet, a lab goes on without them.
pub fn run_commands(plan: &LabPlan, lab: &Lab) -> Vec<String> {
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        for (host, made) in plan.hosts.iter().zip(&lab.hosts).filter(|(host, _)| !host.commands.is_empty()) {
            running.push(scope.spawn(move || {
                let mut failed = Vec::new();
                for line in &host.commands {
                    let mut command = in_namespace(&made.namespace, "sh");
                    command.args(["-c", line]).current_dir(&plan.folder).stdin(Stdio::null());
                    let said = match command.output() {
                        Ok(output) if output.status.success() => continue,
                        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
                        Err(error) => error.to_string(),
                    };
                    failed.push(format!("`{line}` failed on {}: {said}", host.name));
                }
                failed
            }));
        }
        running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}
