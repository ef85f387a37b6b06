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
fn includes_tna_without_files_and_takes_the_first_tofino() {
    let tokens = good("#include <tna.p4>\nconst int target = __TARGET_TOFINO__;");
    assert_eq!(tokens.matches("package Switch <").count(), 1);
    assert!(tokens.contains("package MultiParserSwitch <"));
    assert!(tokens.contains("const int target = 1 ;"));
    assert!(tokens.contains("typedef bit < 5 > QueueId_t ;"));
}

/// Programs ask for the chip before they include its header.
#[test]
fn programs_choose_the_header_by_the_chip() {
    let program = "#if __TARGET_TOFINO__ == 2\n#include <t2na.p4>\n#else\n#include <tna.p4>\n#endif\n";
    assert!(!good(program).contains("ghost_intrinsic_metadata_t"));
    let second = good(&format!("#define __TARGET_TOFINO__ 2\n{program}"));
    assert!(second.contains("header ghost_intrinsic_metadata_t {"));
    assert!(second.contains("typedef bit < 7 > QueueId_t ;"));
}

#[test]
fn t2na_without_a_choice_is_for_tofino_2() {
    assert!(good("#include <t2na.p4>\nconst int target = __TARGET_TOFINO__;").contains("const int target = 2 ;"));
}

/// TNA for Tofino 2 is TNA with wider identifiers.
#[test]
fn tna_has_the_widths_of_the_chip() {
    let tokens = good("#define __TARGET_TOFINO__ 2\n#include <tna.p4>\n");
    assert!(tokens.contains("typedef bit < 7 > QueueId_t ;") && tokens.contains("package MultiParserSwitch <"));
}

/// Some programs name the parts of the headers.
#[test]
fn includes_the_parts_of_tna() {
    for chip in ["tofino1", "tofino2"] {
        let parts = ["specs", "base", "arch"].map(|part| format!("#include <{chip}_{part}.p4>\n"));
        assert_eq!(good(&parts.concat()).matches("package Switch <").count(), 1, "{chip}");
    }
}

#[test]
fn headers_refuse_a_chip_that_they_are_not_for() {
    for (chip, header) in [("3", "tna.p4"), ("1", "t2na.p4"), ("2", "tofino1_specs.p4"), ("1", "tofino2_specs.p4")] {
        let found = Run::new(&format!("#define __TARGET_TOFINO__ {chip}\n#include <{header}>\n")).findings();
        assert!(found.contains(&format!("{header} is for ")), "{chip}, {header}: {found}");
    }
}

#[test]
fn names_known_architectures_if_one_is_missing() {
    let found = Run::new("#include <psa.p4>\n").findings();
    assert!(found.contains("`psa.p4` cannot be included: there is no such file"), "{found}");
    assert!(found.contains("main.p4:1:10") && found.contains("<v1model.p4>"), "{found}");
}
