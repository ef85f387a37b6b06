//! Numbers of lines, for `__LINE__`.

use std::collections::BTreeMap;

use diagnostics::{SourceId, Sources, Span};

/// Where the lines of each source begin, found once a source: a program may say `__LINE__` often.
#[derive(Default)]
pub(super) struct Lines {
    ends: BTreeMap<SourceId, Vec<usize>>,
}

impl Lines {
    /// The line of a place, from 1.
    pub fn line(&mut self, sources: &Sources, span: Span) -> usize {
        let find = || sources.text(span.source).match_indices('\n').map(|(at, _)| at).collect();
        let ends = self.ends.entry(span.source).or_insert_with(find);
        ends.partition_point(|&end| end < span.start as usize) + 1
    }
}
