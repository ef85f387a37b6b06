//! What settings cannot mean for an architecture.

use arch::InFront;

use super::{ChipSettings, GeneratorTrigger};

impl ChipSettings {
    /// Returns a sentence for everything that an architecture of this name with this metadata cannot have.
    pub fn problems(&self, architecture: &str, in_front: &InFront) -> Vec<String> {
        let mut problems = Vec::new();
        let most = in_front.port_metadata as usize / 8;
        for port in self.ports.iter().filter(|port| port.metadata.len() > most) {
            problems.push(format!(
                "port {} has {} bytes of metadata, and ports of {architecture} have {most}",
                port.number,
                port.metadata.len()
            ));
        }
        let front = &in_front.generated;
        for ((pipe, number), application) in self.generators.applications() {
            if number >= front.applications {
                let last = front.applications - 1;
                problems.push(format!(
                    "application {number} of the packet generator of pipe {pipe}: the applications of {architecture} are 0 to {last}"
                ));
            }
            if let GeneratorTrigger::Recirculation { pattern, .. } = &application.trigger
                && pattern.len() != front.pattern
            {
                problems.push(format!(
                    "application {number} of the packet generator of pipe {pipe} has a pattern of {} bytes, and {architecture} \
                     compares {}",
                    pattern.len(),
                    front.pattern
                ));
            }
        }
        problems
    }
}
