//! Why a machine cannot be built: the resource report of DESIGN's second shape of failure.

use std::fmt;

use ir::pipeline::Pipeline;

/// What keeps a machine from being built from a pipeline and parameters: every finding, not only the first.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Unsuitable {
    /// One sentence each, without a full stop, for a person to read.
    pub findings: Vec<String>,
}

impl Unsuitable {
    /// Nothing found yet, but for what keeps every machine from running a pipeline: then that is all.
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

    /// `value`, if there was nothing to find.
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
