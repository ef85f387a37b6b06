//! The headers that come with Polyplane.

use super::{Run, good};

#[test]
fn includes_core_and_v1model_without_files() {
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
fn names_known_architectures_if_one_is_missing() {
    let found = Run::new("#include <tna.p4>\n").findings();
    assert!(found.contains("`tna.p4` cannot be included: there is no such file"), "{found}");
    assert!(found.contains("main.p4:1:10") && found.contains("<v1model.p4>"), "{found}");
}
