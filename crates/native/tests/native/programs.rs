//! The programs of this repository, block by block, on slightly corrupted packets.

use std::path::{Path, PathBuf};

use basis::Random;
use diagnostics::Sources;
use ir::Program;
use ir::interpret::Ending;

use crate::on_all_cores::on_all_cores;
use crate::pair::Pair;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4")
}

fn program(path: &Path) -> Program {
    let text = std::fs::read_to_string(path).expect("a program of ours");
    let mut sources = Sources::new();
    let main = sources.add(path.display().to_string(), text.as_str());
    let read = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, _) = p4::parse(&read.tokens);
    let (checked, _) = p4::check(&tree);
    p4::lower(&tree, checked).unwrap_or_else(|_| panic!("{} is sound", path.display())).program
}

/// Returns the packets that the packet tests in a folder send.
fn packets(folder: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "stf"));
    let lines = texts.flat_map(|path| {
        let text = std::fs::read_to_string(path).expect("a packet test");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let packet = |line: String| {
        let digits: String = line.strip_prefix("packet ")?.split_whitespace().skip(1).collect();
        (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).ok()).collect()
    };
    lines.filter_map(packet).collect()
}

#[test]
fn programs_agree_on_corrupted_packets() {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let ends = on_all_cores(&folders, |folder| {
        let mut random = Random::new(3);
        let (mut parsed, mut rejected) = (0, 0);
        let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
        let path = folder.join(format!("{name}.p4"));
        if !path.is_file() {
            return (0, 0);
        }
        let program = program(&path);
        // Programs for TNA have other blocks; the chip runs them in the interpreter and as machine code (`programs_p4.rs`).
        if program.entrances.iter().all(|entrance| entrance.name != "verify_checksum") {
            return (0, 0);
        }
        let mut pair = Pair::new(program, |_| ());
        let blocks = ["parser", "verify_checksum", "ingress", "egress", "compute_checksum", "deparser"];
        let blocks = blocks.map(|block| pair.entrance(block));
        for mut bytes in packets(folder) {
            if random.below(3) == 0 && !bytes.is_empty() {
                bytes.truncate(random.below(bytes.len() as u64) as usize);
            } else if random.below(2) == 0 && !bytes.is_empty() {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            pair.packet(&bytes);
            pair.run_each(&blocks).unwrap_or_else(|difference| panic!("{name}, all blocks: {difference}"));
            pair.packet(&bytes);
            for block in blocks {
                let ending = pair.run(block).unwrap_or_else(|difference| panic!("{name} {block:?}: {difference}"));
                parsed += u32::from(ending == Ending::Done);
                rejected += u32::from(matches!(ending, Ending::Rejected(_)));
            }
        }
        (parsed, rejected)
    });
    let parsed: u32 = ends.iter().map(|(parsed, _)| parsed).sum();
    let rejected: u32 = ends.iter().map(|(_, rejected)| rejected).sum();
    assert!(parsed > 100 && rejected > 10, "{parsed} blocks came to their end, {rejected} parsers rejected");
}
