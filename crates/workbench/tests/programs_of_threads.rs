//! Programs of threads as the workbench loads them, and what it says where they cannot be used.

use std::path::{Path, PathBuf};

use diagnostics::Failure;
use workbench::kinds::{self, Settings};
use workbench::packet_test::PacketTest;
use workbench::{Entries, LoadOptions, LoadedProgram};

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    folder.join(name).join(format!("{name}.mc"))
}

fn loaded(name: &str) -> LoadedProgram {
    LoadedProgram::read(&path(name), &LoadOptions::default()).expect("a program of the repository")
}

fn refused(outcome: Result<LoadedProgram, Failure>) -> String {
    outcome.expect_err("it is refused").to_string()
}

#[test]
fn a_program_in_microcode_has_threads_and_binds_no_fields() {
    let program = loaded("ddos_filter");
    assert!(program.has_threads() && !program.has_parser() && !program.binds_fields());
    assert_eq!(program.places.len(), program.program.threads.as_ref().expect("threads").instructions.len());
    let names: Vec<&str> = program.info.tables.iter().map(|table| &*table.identity.name).collect();
    assert_eq!(names, program.program.tables.iter().map(|table| &*table.name).collect::<Vec<_>>());
    assert!(!names.is_empty());
    assert_eq!(program.info.meters.len(), program.program.meters.len());
    let telemetry = loaded("telemetry");
    let threads = telemetry.program.threads.as_ref().expect("threads");
    assert_eq!(telemetry.info.segments.len(), threads.segments.len());
    let records = telemetry.info.records.iter().map(|table| (table.key_bytes, table.record_bytes, table.segment.0));
    assert!(records.eq(threads.records.iter().map(|table| (table.key_bytes, table.record_bytes, table.segment.0))));
    assert!(!threads.records.is_empty() && telemetry.info.record_table_named(&threads.records[0].name).is_ok());
    assert!(telemetry.info.digests.iter().any(|digest| !digest.identity.name.is_empty()));
}

#[test]
fn its_text_in_the_ir_is_the_same_program() {
    let program = loaded("router");
    let again = LoadedProgram::of_text("router.ir", &program.program.to_string(), None).expect("the text is a program");
    assert_eq!(again.program, program.program);
    assert_eq!(again.info, program.info);
    let refused = refused(LoadedProgram::of_text("router.ir", &program.program.to_string(), Some(("b.toml", ""))));
    assert!(refused.contains("`router` binds no fields"), "{refused}");
}

#[test]
fn a_text_may_define_macros_and_search_folders() {
    let text = "on packet goto it; it: begin TheEnd; end";
    let folder = std::env::temp_dir().join(format!("polyplane-threads-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("it.mc");
    std::fs::write(&file, text).expect("a file");
    let options = LoadOptions { definitions: vec![("TheEnd".into(), "exit".into())], ..LoadOptions::default() };
    let program = LoadedProgram::read(&file, &options);
    let without = LoadedProgram::read(&file, &LoadOptions::default());
    let binding = LoadOptions { binding: Some("x.toml".into()), ..LoadOptions::default() };
    let bound = LoadedProgram::read(&file, &binding);
    std::fs::remove_dir_all(&folder).expect("the folder");
    assert!(program.expect("the macro is defined").has_threads());
    assert!(refused(without).contains("TheEnd"));
    assert!(refused(bound).contains("`--binding` is not for Microcode programs"));
}

#[test]
fn machines_that_run_no_threads_say_so() {
    let program = loaded("filter");
    for name in ["banzai", "mp5", "recirculating", "v1model", "native", "tofino"] {
        let kind = kinds::named(name).expect("a kind");
        assert!(!kind.is_usual(&program), "{name}");
        match kind.fit(&program, &Settings::default()) {
            Err(Failure::DoesNotFit(report)) => {
                assert!(report.contains("threads") || report.contains("Native Architecture"), "{name}: {report}");
            }
            _ => panic!("{name} takes a program of threads"),
        }
    }
}

#[test]
fn an_image_is_a_program_that_does_not_fit_in_other_words() {
    let program = loaded("telemetry");
    let image = program.image(&trio::Parameters::default()).expect("it fits");
    let line = image.line(0.into()).expect("the image knows lines");
    assert!(line.file.ends_with("telemetry.mc") && line.line > 1, "{line:?}");
    let folder = std::env::temp_dir().join(format!("polyplane-image-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("telemetry.img");
    let read = |bytes: &[u8], options: &LoadOptions| {
        std::fs::write(&file, bytes).expect("a file");
        LoadedProgram::read(&file, options)
    };
    let again = read(&image.to_bytes(), &LoadOptions::default()).expect("it is an image");
    let cut = refused(read(&image.to_bytes()[..3000], &LoadOptions::default()));
    let defined = LoadOptions { definitions: vec![("A".into(), "1".into())], ..LoadOptions::default() };
    let with_macro = refused(read(&image.to_bytes(), &defined));
    std::fs::remove_dir_all(&folder).expect("the folder");
    assert_eq!(again.info, program.info);
    assert_eq!(again.image(&trio::Parameters::default()).expect("as it is"), image);
    let other = trio::Parameters { constants: 5, ..trio::Parameters::default() };
    let other = again.image(&other).expect_err("the image has other words").to_string();
    assert!(other.contains("other units"), "{other}");
    assert!(cut.contains("telemetry.img` is not an image that can be used: it is truncated"), "{cut}");
    assert!(with_macro.contains("`-D` is for P4 and Microcode programs"), "{with_macro}");
    let text = refused(LoadedProgram::of_text("telemetry.img", "x", None));
    assert!(text.contains("not a text"), "{text}");
}

#[test]
fn what_does_not_fit_in_a_word_is_shown_at_its_line() {
    let text = "register : 32 p, q;\non packet goto it;\nit:\nbegin\n    p = p * q;\n    exit;\nend\n";
    let program = LoadedProgram::of_text("it.mc", text, None).expect("it is valid");
    let report = program.image(&trio::Parameters::default()).expect_err("no ALU multiplies");
    assert_eq!(report.exit_status(), 3);
    let report = report.to_string();
    assert!(report.contains("it.mc:4:1") && report.contains("`it` needs a product"), "{report}");
    let domino = workbench::shipped_program("flowlet").expect("a program");
    assert!(domino.image(&trio::Parameters::default()).expect_err("no threads").to_string().contains("no threads"));
}

#[test]
fn programs_do_with_packets_what_their_tests_say_from_text_and_from_an_image() {
    let mut failed = Vec::new();
    let names =
        ["ddos_filter", "filter", "keepalive", "load_balancer", "mix", "router", "tail_inspection", "telemetry"];
    for name in names {
        let program = loaded(name);
        let image = program.image(&trio::Parameters::default()).expect("it fits");
        let of_image = LoadedProgram { image: Some(image), ..program.clone() };
        for program in [program, of_image] {
            let fitted = kinds::usual(&program).fit(&program, &Settings::default()).expect("it fits the chip");
            let test =
                PacketTest::read(&path(name).with_extension("stf"), &program).unwrap_or_else(|error| panic!("{error}"));
            let outcome = test.run(Entries::none(), &*fitted, 0).unwrap_or_else(|error| panic!("{error}"));
            if !outcome.passed {
                failed.push(outcome.to_string());
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A `wait` once let time pass only if a packet followed.
#[test]
fn timers_go_on_while_a_packet_test_waits() {
    let program = of_text(
        "waits",
        "sram : 64 ticks; timer tick every 10000; on timer tick goto count; on packet goto count;\n\
         count: begin MemAdd32(&ticks, 1); exit; end",
    );
    let test = "wait 95 us\ncheck_memory ticks(0) == 38654705664\nwait 10 us\ncheck_memory ticks(0) == 42949672960\n";
    let file = std::env::temp_dir().join(format!("polyplane-waits-{}.stf", std::process::id()));
    std::fs::write(&file, test).expect("a file");
    let test = PacketTest::read(&file, &program);
    std::fs::remove_file(&file).expect("the file");
    let fitted = kinds::usual(&program).fit(&program, &Settings::default()).expect("it fits the chip");
    let outcome =
        test.expect("it is a test").run(Entries::none(), &*fitted, 0).unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.passed, "{outcome}");
}

/// Two machines have an option `chip`; the generations of one were once accepted for the other, too.
#[test]
fn machines_have_their_own_values_of_an_option_of_one_name() {
    let kind = |name| kinds::named(name).expect("a kind");
    let mut given = kinds::Given::default();
    given.push_for_any("chip", "gen1").expect("a generation");
    assert!(given.refuse_foreign(&[kind("trio")]).is_ok());
    assert!(given.inputs().expect("nothing is read").is_empty());
    let why = given.refuse_foreign(&[kind("tofino")]).expect_err("a generation is no file").to_string();
    assert!(why.contains("`--chip gen1`: there is no such file"), "{why}");
    let why = given.refuse_foreign(&[kind("v1model")]).expect_err("it has no chip").to_string();
    assert!(why.contains("`--chip` is an option of tofino and trio, and not of v1model"), "{why}");
    let why = given.push_for_any("chip", "gen7").expect_err("no generation").to_string();
    assert!(
        why.contains("for tofino, there is no such file; for trio, there is no such file, and it is not one of: gen1"),
        "{why}"
    );
}

/// Returns a program in Microcode.
fn of_text(name: &str, text: &str) -> LoadedProgram {
    let file = std::env::temp_dir().join(format!("polyplane-{name}-{}.mc", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let program = LoadedProgram::read(&file, &LoadOptions::default());
    std::fs::remove_file(&file).expect("the file");
    program.unwrap_or_else(|failure| panic!("{failure}"))
}
