//! The headers that Polyplane brings along.

use super::{Run, good};

#[test]
fn the_core_library_and_v1model_are_there_without_files() {
    for text in ["#include <v1model.p4>\n", "#include <core.p4>\n#include \"v1model.p4\"\n#include <core.p4>\n"] {
        let tokens = good(text);
        assert_eq!(tokens.matches("extern packet_in {").count(), 1);
        assert_eq!(tokens.matches("package V1Switch").count(), 1);
        assert!(tokens.contains("extern register < T > {"));
    }
    let newer = good("#define V1MODEL_VERSION 20200408\n#include <v1model.p4>");
    assert!(newer.contains("extern register < T , I > {"));
}

#[test]
fn an_architecture_that_is_not_there_is_reported_with_those_that_are() {
    let found = Run::new("#include <tna.p4>\n").findings();
    assert!(found.contains("`tna.p4` cannot be included: there is no such file"), "{found}");
    assert!(found.contains("main.p4:1:10") && found.contains("<v1model.p4>"), "{found}");
}
