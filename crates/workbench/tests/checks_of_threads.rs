//! The programs in Microcode, held against the interpreter on packets that reach their instructions.

use std::path::Path;

use basis::{Duration, Rate};
use equivalence::coverage::{self, Options};
use machines::trio::{Trio, TrioParameters};
use trio::word::{AluOperation, Source, Word};
use workbench::kinds::{self, Settings};
use workbench::{CheckPlan, Checked, Entries, LoadOptions, LoadedProgram, MachinePlan, MadePackets};

fn loaded(name: &str) -> LoadedProgram {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    let file = folder.join(name).join(format!("{name}.mc"));
    LoadedProgram::read(&file, &LoadOptions::default()).expect("a program of the repository")
}

fn check(program: &LoadedProgram, packets: usize) -> (Vec<Checked>, usize, Vec<String>) {
    let entries = Entries::default();
    let plan = CheckPlan::everywhere(program, &entries, MadePackets::new(packets, MachinePlan::line_rate_of(None), 1))
        .expect("packets are made");
    let coverage = plan.coverage().expect("packets were generated");
    let reached = coverage.by_kind().iter().map(|count| count.reached).sum();
    let missing = coverage.missing().map(str::to_owned).collect();
    let ready = plan.ready(kinds::named("trio").expect("the kind"), &Settings::default()).expect("it is ready");
    (plan.check(&ready), reached, missing)
}

#[test]
fn every_program_does_on_the_chip_what_it_means() {
    let names =
        ["filter", "router", "load_balancer", "keepalive", "telemetry", "ddos_filter", "tail_inspection", "mix"];
    for name in names {
        let program = loaded(name);
        let (checked, reached, missing) = check(&program, 2000);
        let comparison = checked[0].comparison.as_ref().expect("the program fits");
        assert_eq!(comparison.verdict, equivalence::Verdict::Equal, "{name}: {:?}", checked[0].witness);
        // What routes and entries of filters lead to is not reached: nobody has written any.
        assert!(
            reached * 3 > program.program.threads.as_ref().expect("threads").instructions.len(),
            "{name}: {missing:?}"
        );
    }
}

/// Returns words that differ from one in a single operation, each of which matters.
fn wrong_words(word: &Word) -> Vec<Word> {
    let mut wrong = Vec::new();
    for place in 0..word.conditions.len() {
        let mut other = word.clone();
        other.conditions[place].operation = match other.conditions[place].operation {
            AluOperation::Equal => AluOperation::NotEqual,
            _ => AluOperation::Equal,
        };
        wrong.push(other);
    }
    // A register that gets 0 is 0 already.
    for place in (0..word.moves.len()).filter(|place| word.moves[*place].left.source != Source::Zero) {
        let mut other = word.clone();
        other.moves.remove(place);
        wrong.push(other);
    }
    if word.transaction.is_some() {
        wrong.push(Word { transaction: None, ..word.clone() });
    }
    if let Some((_, way)) = word.ways.first() {
        wrong.push(Word { otherwise: *way, ..word.clone() });
    }
    wrong
}

/// A chip with one wrong operation in one word differs from the program, and a correct one does not.
#[test]
fn every_wrong_word_of_the_filter_is_found() {
    let program = loaded("filter");
    let options = Options { packets: 500, spacing: Duration::from_nanoseconds(5), ..Options::default() };
    let packets = coverage::generate(&program.program, &program.info, &[], &[], &options).expect("packets are made");
    let fitted = kinds::named("trio").expect("the kind").fit(&program, &Settings::default()).expect("it fits");
    let code = program.image(&trio::Parameters::default()).expect("it is compiled").code();
    let compare = |code: trio::Code| {
        let mut chip = Trio::new(code, program.info.clone(), TrioParameters::default()).expect("it fits");
        let reference = fitted.reference(1, &|_| ()).expect("there is one");
        equivalence::compare(reference, &mut chip, packets.offered(), &fitted.rules())
    };
    assert_eq!(compare(code.clone()).verdict, equivalence::Verdict::Equal);
    let mut found = 0;
    for (number, word) in code.words().iter().enumerate() {
        for wrong in wrong_words(word) {
            let mut code = code.clone();
            code.replace(number.into(), wrong.clone());
            assert_eq!(compare(code).verdict, equivalence::Verdict::Different, "{wrong:?} instead of {word:?}");
            found += 1;
        }
    }
    assert!(found > 8, "{found}");
}

#[test]
fn the_packets_reach_all_of_the_filter() {
    let (_, _, missing) = check(&loaded("filter"), 2000);
    assert_eq!(missing, [] as [String; 0]);
}

/// A check once never ended if packets that threads of a timer make come faster than their port takes them. Those that wait when
/// the run ends are no difference.
#[test]
fn packets_of_timers_may_wait_when_a_check_ends() {
    let text = "timer tick every 10000; on timer tick goto make; on packet goto leave; reason last;\n\
         register : 8 made;\nmake: begin PacketMake(); end begin made = r_reply.data; end\n\
         begin PacketSend(made, 1, 0, packet_start, 64); exit; end\n\
         leave: begin PacketDrop(this_packet, last); exit; end";
    let file = std::env::temp_dir().join(format!("polyplane-waiting-{}.mc", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let program = LoadedProgram::read(&file, &LoadOptions::default());
    std::fs::remove_file(&file).expect("the file");
    let program = program.unwrap_or_else(|failure| panic!("{failure}"));
    let options = Options { packets: 100, spacing: Duration::from_microseconds(50), ..Options::default() };
    let packets = coverage::generate(&program.program, &program.info, &[], &[], &options).expect("packets are made");
    let fitted = kinds::named("trio").expect("the kind").fit(&program, &Settings::default()).expect("it fits");
    let code = program.image(&trio::Parameters::default()).expect("it is compiled").code();
    let ports = vec![Rate::from_bits_per_second(1_000_000); 4];
    let parameters = TrioParameters { ports, ..TrioParameters::default() };
    let mut chip = Trio::new(code, program.info.clone(), parameters).expect("it fits");
    let reference = fitted.reference(1, &|_| ()).expect("there is one");
    let compared = equivalence::compare(reference, &mut chip, packets.offered(), &fitted.rules());
    assert_eq!(compared.verdict, equivalence::Verdict::Equal, "{compared:?}");
    assert!(machines::Device::statistics(&chip).in_flight > 100);
}
