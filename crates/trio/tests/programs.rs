//! Each instruction of the programs of `programs/microcode` fits in a word.

use std::path::Path;

use diagnostics::{Diagnostics, Sources};
use trio::{Image, Listing, Parameters, Unit};

/// Compiles a program of the repository, and fits it.
fn listing(name: &str) -> Result<Listing, String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode").join(name).join(format!("{name}.mc"));
    let mut sources = Sources::new();
    let compiled = microcode::compile_file(&mut sources, &path, &microcode::Options::default());
    let compiled = compiled.map_err(|errors| errors.render(&sources, false))?;
    let image = Image::new(&compiled.program, &Parameters::default(), Vec::new());
    image.map(|image| Listing::new(&image)).map_err(|misfits| {
        let mut found = Diagnostics::new();
        found.extend(misfits.iter().map(|misfit| misfit.diagnostic(&compiled.places)));
        found.render(&sources, false)
    })
}

#[test]
fn all_programs_fit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    let entries = std::fs::read_dir(&folder).expect("programs/microcode").map(|entry| entry.expect("an entry"));
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| folder.join(name).join(format!("{name}.mc")).is_file()).collect();
    names.sort();
    assert!(names.len() >= 8, "programs are missing: {names:?}");
    let misfits: Vec<String> = names.iter().filter_map(|name| listing(name).err()).collect();
    assert!(misfits.is_empty(), "{}", misfits.join("\n"));
}

#[test]
fn a_word_with_exactly_what_a_program_uses_is_enough_and_one_with_less_is_not() {
    for name in ["filter", "router", "telemetry", "ddos_filter", "tail_inspection"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../programs/microcode")
            .join(name)
            .join(format!("{name}.mc"));
        let program = microcode::compile_file(&mut Sources::new(), &path, &microcode::Options::default())
            .expect("it compiles")
            .program;
        let image = Image::new(&program, &Parameters::default(), Vec::new()).expect("it fits");
        let listing = Listing::new(&image);
        let most = |unit: Unit| listing.lines.iter().map(|line| line.units.of(unit)).max().unwrap_or(0);
        let exact = Parameters {
            read_slots: most(Unit::Reads),
            writes: most(Unit::Writes),
            condition_alus: most(Unit::ConditionAlus),
            move_alus: most(Unit::MoveAlus),
            constants: most(Unit::Constants),
            targets: most(Unit::Targets),
            registers: listing.registers as u32,
            ..Parameters::default()
        };
        assert!(Image::new(&program, &exact, Vec::new()).is_ok(), "{name}");
        for less in [
            Parameters { read_slots: exact.read_slots - 1, ..exact },
            Parameters { writes: exact.writes - 1, ..exact },
            Parameters { condition_alus: exact.condition_alus - 1, ..exact },
            Parameters { move_alus: exact.move_alus - 1, ..exact },
            Parameters { constants: exact.constants - 1, ..exact },
            Parameters { targets: exact.targets - 1, ..exact },
            Parameters { registers: exact.registers - 1, ..exact },
        ] {
            let misfits = Image::new(&program, &less, Vec::new()).expect_err("one unit is missing");
            assert!(misfits.iter().all(|misfit| !misfit.advice.is_empty()), "{name}: {misfits:?}");
        }
    }
}

#[test]
fn the_listing_of_the_paper_s_filter() {
    let expected = "\
instruction     line  reads  writes  conditions  moves  constants  targets  transaction
process_ether   -     2/4    1/2     1/4         1/4    1/4        2/8
process_ip      -     2/4    1/2     2/4         1/4    3/4        2/8
count_dropped   -     2/4    0/2     1/4         0/4    1/4        1/8      async count bit<35>(8u32 + (ir0 << 1u8)) << 3u8, r_work.pkt_len
forward_packet  -     2/4    0/2     1/4         0/4    1/4        1/8      async send 0u8 port r_work.port ^ 1u16 queue 0u8 head 128u16, r_work.head_len
drop_packet     -     0/4    0/2     0/4         0/4    0/4        1/8      async drop 0u8 reason filtered
5 instructions, 4 of 32 registers, 10 words of 456 bytes
";
    assert_eq!(listing("filter").expect("it fits").text(), expected);
}
