//! What the tests of this crate share.
#![allow(dead_code)] // each test file uses some of these

use basis::Duration;
use diagnostics::Findings;
use node::Offered;
use runtime::binding::{Binding, FieldShape};
use traffic::{Input, Prepared, Traffic};

/// Returns a program's binding of 32-bit fields, bound by name.
pub fn program(fields: &[&str]) -> Binding {
    let shapes: Vec<FieldShape<'_>> = fields.iter().map(|name| FieldShape { name, width: 32 }).collect();
    Binding::resolve(&shapes, None).unwrap()
}

/// Prepares a plan for a machine of four pipelines at 1 GHz.
pub fn prepare(traffic: &Traffic, fields: &[&str]) -> Result<Prepared, String> {
    traffic.prepare(&program(fields), 4, Duration::from_nanoseconds(1)).map_err(rendered)
}

pub fn rendered((sources, found): Findings) -> String {
    found.render(&sources, false)
}

/// Asserts that a text consists of these findings in this order, each with its position, message and hint.
pub fn assert_findings(text: &str, expected: &[(&str, &str, &str)]) {
    let findings: Vec<&str> = text.split("\n\n").filter(|finding| !finding.trim().is_empty()).collect();
    assert_eq!(findings.len(), expected.len(), "{text}");
    for (finding, (place, message, hint)) in findings.iter().zip(expected) {
        assert!([place, message, hint].iter().all(|part| finding.contains(*part)), "{place}: {finding}");
    }
}

/// Parses a plan, which must be valid.
pub fn plan(text: &str) -> Traffic {
    Traffic::parse(text).unwrap_or_else(|findings| panic!("{}", rendered(findings)))
}

/// Returns the packets of a plan.
pub fn packets(traffic: &Traffic, fields: &[&str]) -> Vec<Offered> {
    let prepared = prepare(traffic, fields).unwrap_or_else(|text| panic!("{text}"));
    let mut stream = prepared.packets();
    let packets: Vec<Offered> = stream.by_ref().collect();
    assert_eq!(stream.trouble(), None);
    assert_eq!(packets.len() as u64, prepared.count());
    packets
}

/// Returns the values of a record's fields.
pub fn values(offered: &Offered) -> Vec<u32> {
    let words = offered.packet.head.bytes().chunks_exact(4);
    words.map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect()
}

pub fn file(name: &str, bytes: impl AsRef<[u8]>) -> Input {
    Input::of_bytes(name, bytes.as_ref())
}
