//! The report why a machine cannot be built (the second of the "three shapes of failure" in ARCHITECTURE.md).

use std::fmt;

use ir::pipeline::Pipeline;

/// The reasons why a machine cannot be built from a pipeline and parameters: all of them, not only the first.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Unsuitable {
    /// The findings, each one sentence without a full stop.
    pub findings: Vec<String>,
}

impl Unsuitable {
    /// Creates an empty report, or fails with the findings if no machine could run the pipeline.
    pub(crate) fn of(pipeline: &Pipeline) -> Result<Self, Self> {
        pipeline.verify().map_err(|findings| Self { findings })?;
        let mut unsuitable = Self::default();
        unsuitable.unless(!pipeline.stages.is_empty(), || "the pipeline has no stages".into());
        Ok(unsuitable)
    }

    /// Adds a finding if `condition` does not hold.
    pub(crate) fn unless(&mut self, condition: bool, finding: impl FnOnce() -> String) {
        if !condition {
            self.findings.push(finding());
        }
    }

    /// Returns `value` if there are no findings.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Self> {
        if self.findings.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.findings.join("\n"))
    }
}

impl std::error::Error for Unsuitable {}

impl From<Unsuitable> for diagnostics::Failure {
    fn from(unsuitable: Unsuitable) -> Self {
        let findings: Vec<String> = unsuitable.findings.iter().map(|finding| format!("- {finding}\n")).collect();
        Self::DoesNotFit(format!("the machine cannot be built:\n{}", findings.concat()))
    }
}
