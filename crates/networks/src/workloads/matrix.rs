//! `matrix`: the connections of a matrix in htsim's format.

use std::any::Any;
use std::sync::Arc;

use demand::{Matrix, WorkloadPlan};
use plans::Section;

use super::WorkloadKind;
use crate::topologies::Reading;

pub(super) struct MatrixKind;

impl WorkloadKind for MatrixKind {
    fn name(&self) -> &'static str {
        "matrix"
    }

    fn read(
        &self,
        section: &Section<'_>,
        short: Option<&dyn WorkloadPlan>,
        reading: &mut Reading<'_>,
    ) -> Option<Arc<dyn WorkloadPlan>> {
        if let Some(matrix) = short.and_then(|plan| (plan as &dyn Any).downcast_ref::<Arc<Matrix>>()) {
            // The short form has read its file, and has no `file` entry; mark the entry as used.
            section.text("short");
            return Some(Arc::new(Arc::clone(matrix)));
        }
        if !section.require("file", "a connection matrix of htsim: file = \"permutation.cm\"") {
            return None;
        }
        let (file, span) = section.text("file")?;
        let (name, text) = reading.text(section, &file, &span)?;
        let id = reading.sources.add(name, text);
        let matrix = Matrix::read(reading.sources, id).map_err(|found| reading.found.extend(found)).ok()?;
        Some(Arc::new(matrix))
    }
}
