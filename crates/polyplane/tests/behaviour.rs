//! Tests of the command that do not depend on its text: reproducible bytes, complete results or none, faults caught.

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Ran, absent_folder, contents_below, files_below, project, run_line, run_on_file};

const SEQUENCER: &str = "programs/domino/sequencer/sequencer.c";
const HEAVY_HITTERS: &str = "programs/domino/heavy_hitters/heavy_hitters.c";
const SWITCH: &str = "crates/polyplane/tests/golden/p4/switch.p4";
const FLOWLET: &str = "programs/domino/flowlet/flowlet.c";

#[test]
fn the_same_command_gives_the_same_bytes() {
    for line in [
        format!("compile {FLOWLET} --machine mp5"),
        format!("compile {FLOWLET} --machine mp5 --json"),
        format!("compile {FLOWLET} --emit smt"),
        format!("compile {FLOWLET} --emit dependencies-dot"),
        format!("check {SEQUENCER} --machines banzai,mp5,recirculating --packets 2000"),
        format!("run {FLOWLET} --machine mp5 --traffic programs/captures/dns.pcap --json"),
        format!("run {SWITCH} --traffic 1=programs/captures/dns.pcap --undefined random:4 --json"),
        format!("trace {SWITCH} --traffic 1=programs/captures/dns.pcap --nth 9"),
    ] {
        let first = run_line(&line);
        assert!(first.status <= 1, "{first:?}");
        assert_eq!(first, run_line(&line), "{line}");
    }
    let written = || {
        let out = absent_folder();
        let line =
            format!("run {FLOWLET} --machine mp5 --traffic programs/captures/dns.pcap --out-dir {}", out.display());
        assert_eq!(run_line(&line).status, 0);
        contents_below(&out)
    };
    let first = written();
    let names: Vec<String> = first.iter().map(|(name, _)| name.display().to_string()).collect();
    assert_eq!(names, ["manifest.txt", "out.pcapng", "packets.csv", "registers.csv", "result.json"]);
    assert!(first == written(), "two runs wrote different files");
}

#[test]
fn another_seed_gives_other_packets() {
    let with_seed =
        |seed| run_line(&format!("run {SEQUENCER} --machine mp5 --packets 2000 --seed {seed} --json")).stdout;
    assert_ne!(with_seed(1), with_seed(2));
}

/// The option and the plan's own text may both give a seed; `field.seed` gives none.
#[test]
fn a_seed_in_the_plan_is_not_overridden() {
    let traffic = |plan: &str| {
        let ran = run_line(&format!("run {SEQUENCER} --traffic {plan} --packets 10 --seed 5"));
        ran.stdout.lines().find(|line| line.starts_with("traffic")).expect("a line about the traffic").to_owned()
    };
    assert!(traffic("uniform").ends_with("seed=5"));
    assert!(traffic("uniform:seed=7").ends_with("seed=7"));
    assert!(traffic("uniform:field.group=3").ends_with("seed=5"));
}

/// `--timestamps` once reset the scale that the plan gave.
#[test]
fn a_scale_in_the_plan_is_not_overridden() {
    let plan = "programs/captures/dns.pcap,pace=timestamps,scale=1/10";
    let ran = run_line(&format!("run {FLOWLET} --traffic {plan} --timestamps --packets 10"));
    assert!(ran.stdout.contains("pace=timestamps,scale=1/10"), "{ran:?}");
}

#[test]
fn the_capture_that_a_run_writes_is_traffic_again() {
    let folders = [absent_folder(), absent_folder()];
    let [one, other] = [0, 1].map(|number: usize| folders[number].display().to_string());
    let run = |traffic: &str, out: &str| run_line(&format!("run {FLOWLET} --traffic {traffic} --out-dir {out}"));
    let first = run("programs/captures/dns.pcap", &one);
    let capture = format!("{one}/out.pcapng");
    let over_itself = run(&capture, &one);
    assert!(over_itself.status == 2 && over_itself.stderr.contains("would overwrite it"), "{over_itself:?}");
    let again = run(&capture, &other);
    let packets = |ran: &common::Ran| ran.stdout.lines().find(|line| line.starts_with("packets")).map(str::to_owned);
    assert_eq!((first.status, again.status), (0, 0), "{again:?}");
    assert_eq!(packets(&first).as_deref(), Some("packets         480 in, 480 out"));
    assert_eq!(packets(&again), packets(&first));
}

#[test]
fn a_run_that_fails_writes_nothing() {
    let bad = "crates/polyplane/tests/golden/bad";
    for (arguments, status) in [
        (format!("{bad}/program.c"), 2),
        (format!("{FLOWLET} --traffic {bad}/cut.pcap"), 2),
        (format!("{FLOWLET} --traffic {bad}/table.csv"), 2),
        (format!("{FLOWLET} --machine trident"), 2),
        (format!("{FLOWLET} --atom raw"), 3),
        (format!("{FLOWLET} --depth 2"), 3),
    ] {
        let out = absent_folder();
        let ran = run_line(&format!("run {arguments} --out-dir {}", out.display()));
        assert_eq!(ran.status, status, "{arguments}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments}");
        assert!(!out.exists(), "{arguments} left {:?}", files_below(&out));
    }
}

#[test]
fn a_run_that_fails_leaves_earlier_results_alone() {
    let out = absent_folder();
    let line = |more: &str| run_line(&format!("run {SEQUENCER} --packets 100 --out-dir {} {more}", out.display()));
    assert_eq!(line("").status, 0);
    let before = contents_below(&out);
    assert_eq!(line("--depth 1").status, 3);
    assert_eq!(line("--traffic uniform:size=1").status, 2);
    assert!(before == contents_below(&out), "a failing run changed {:?}", files_below(&out));
}

#[test]
fn check_catches_each_fault_of_the_machine() {
    for fault in ["no-phantoms", "swapped-timestamps", "move-while-in-flight"] {
        let ran = run_line(&format!("check {HEAVY_HITTERS} --machines mp5 --mutate {fault}"));
        assert_eq!(ran.status, 1, "{fault}: {ran:?}");
        assert!(ran.stdout.contains("each of these packets is needed"), "{fault}: {}", ran.stdout);
    }
}

/// No rule of MP5 depends on the order in which its pipelines are updated, so that nothing but the manifest, which says
/// what was run, may tell.
#[test]
fn the_order_in_which_pipelines_are_updated_changes_nothing() {
    let check = |more: &str| run_line(&format!("check {HEAVY_HITTERS} --machines mp5 {more}"));
    assert_eq!(check("").status, 0);
    assert_eq!(check(""), check("--mutate update-order"));
    let written = |more: &str| {
        let out = absent_folder();
        let line = format!("run {HEAVY_HITTERS} --machine mp5 --packets 3000 --out-dir {} {more}", out.display());
        assert_eq!(run_line(&line).status, 0);
        let mut files = contents_below(&out);
        files.retain(|(name, _)| !name.ends_with("manifest.txt"));
        assert!(files.len() >= 3);
        files
    };
    assert!(written("") == written("--mutate update-order"), "the order of updates shows in the results");
}

/// `polyplane … | head -1`: a reader that leaves early once made the command panic with status 101.
#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    for (line, status) in [
        (format!("compile {FLOWLET} --machine mp5 --json"), 0),
        (format!("check {SEQUENCER} --machines recirculating"), 1),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_polyplane"))
            .args(line.split_whitespace())
            .current_dir(project())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command can be started");
        drop(child.stdout.take());
        let mut told = String::new();
        child.stderr.take().expect("it was piped").read_to_string(&mut told).expect("text");
        assert_eq!((child.wait().expect("it ends").code(), &*told), (Some(status), ""), "{line}");
    }
}

/// An example in the help once named a pass that there is not.
#[test]
fn the_examples_in_the_help_work() {
    let mut tried = 0;
    let out = absent_folder();
    for command in ["compile", "run", "check"] {
        let help = run_line(&format!("{command} --help")).stdout;
        let (_, examples) = help.split_once("Examples:").expect("each help has examples");
        for example in examples.lines().filter_map(|line| line.trim().strip_prefix("polyplane ")) {
            if !example.contains(".c ") {
                continue;
            }
            let example = example.split(['#', '|']).next().unwrap_or_default();
            let words: Vec<String> = example.split_whitespace().map(|word| of_project(word, &out)).collect();
            let ran = common::run(&words);
            let wanted = if command == "check" { 1 } else { 0 };
            assert_eq!(ran.status, wanted, "{example}: {ran:?}");
            tried += 1;
        }
    }
    assert!(tried >= 8, "only {tried} examples");
}

/// A word of an example, with the files that this project has.
fn of_project(word: &str, out: &Path) -> String {
    match word {
        "capture.pcap" => "programs/captures/dns.pcap".to_owned(),
        "out/" => out.display().to_string(),
        name if name.ends_with(".c") && !name.contains('/') => {
            let stem = name.trim_end_matches(".c");
            format!("programs/domino/{stem}/{name}")
        }
        other => other.to_owned(),
    }
}

/// "As text that parses back", for every pass and every shipped program that it works on.
#[test]
fn what_is_emitted_parses_back() {
    let list = run_line(&format!("compile {FLOWLET} --emit list")).stdout;
    let texts = list.lines().filter(|name| !name.ends_with("-dot") && !name.ends_with("-svg") && *name != "smt");
    for view in texts {
        let ran = run_line(&format!("compile {FLOWLET} --machine mp5 --emit {view}"));
        if view == "schedule" {
            // What banzai's passes end with; MP5's end with address resolution.
            assert_eq!(ran.status, 2, "{ran:?}");
            continue;
        }
        assert_eq!(ran.status, 0, "{view}: {ran:?}");
        let printed = match ir::parse::program(view, &ran.stdout) {
            Ok(program) => program.to_string(),
            Err(_) => ir::parse::pipeline(view, &ran.stdout).expect("a program or a pipeline").to_string(),
        };
        assert_eq!(printed, ran.stdout, "{view}");
    }
    assert!(list.lines().count() > 10, "{list}");
}

/// Every shell gets a script that knows the commands and their options, and `man` a page for each.
#[test]
fn shells_and_man_know_every_command() {
    let help = run_line("--help").stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let names = commands.lines().map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").collect();
    assert!(names.len() >= 12, "{names:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = run_line(&format!("completions {shell}"));
        assert_eq!((ran.status, &*ran.stderr), (0, ""), "{shell}");
        assert!(names.iter().all(|name| ran.stdout.contains(name)), "{shell}: {}", ran.stdout);
        assert!(ran.stdout.contains("flow-order"), "{shell}: {}", ran.stdout);
    }
    assert_eq!(run_line("completions tcsh").status, 2);
    let out = absent_folder();
    assert_eq!(run_line(&format!("man --out-dir {}", out.display())).status, 0);
    let pages: Vec<String> = files_below(&out).iter().map(|path| name_of(path)).collect();
    let mut wanted: Vec<String> = names.iter().map(|name| format!("polyplane-{name}.1")).collect();
    wanted.push("polyplane.1".to_owned());
    wanted.sort();
    assert_eq!(pages, wanted);
    for name in names {
        let page = run_line(&format!("man {name}")).stdout;
        assert!(page.contains(&format!(".TH polyplane-{name} 1")), "{page}");
        assert_eq!(std::fs::read_to_string(out.join(format!("polyplane-{name}.1"))).ok(), Some(page));
    }
    assert!(run_line("man sim").stdout.contains("\\-\\-topology"));
    assert_eq!(run_line("man simulate").status, 2);
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

/// A script is what a shell can read: this one is asked about `polyplane sim --to`.
#[test]
fn bash_completes_options() {
    let script = run_line("completions bash").stdout;
    let ask = "COMP_WORDS=(polyplane sim --to); COMP_CWORD=2; _polyplane polyplane --to sim; echo ${COMPREPLY[*]}";
    let ran = Command::new("bash").arg("-c").arg(format!("{script}\n{ask}")).output();
    let Ok(ran) = ran else { return eprintln!("there is no bash here: nothing was asked") };
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "--topology", "{ran:?}");
}

/// What a command makes of the bytes of a file on standard input.
fn piped(line: &str, file: &str) -> Ran {
    run_on_file(project(), &line.split_whitespace().collect::<Vec<_>>(), &project().join(file))
}

/// The language of a program without an ending is told by its text.
#[test]
fn a_program_on_standard_input_is_what_its_text_says() {
    for (line, file) in [
        ("compile FILE -I crates/polyplane/tests/golden/p4", SWITCH),
        ("compile FILE -I crates/polyplane/tests/golden/p4 --emit ir", SWITCH),
        ("run FILE -I crates/polyplane/tests/golden/p4 --traffic 1=programs/captures/dns.pcap", SWITCH),
        ("trace FILE -I crates/polyplane/tests/golden/p4 --packet 0800", SWITCH),
        ("compile FILE --emit schedule", FLOWLET),
        ("check FILE --machines mp5 --packets 500 --binding programs/domino/sequencer/sequencer.toml", SEQUENCER),
        ("compile FILE --machine mp5", "crates/polyplane/tests/golden/compile/counter.ir"),
    ] {
        let named = run_line(&line.replace("FILE", file));
        let stem = Path::new(file).file_stem().expect("a name").to_string_lossy().into_owned();
        for stream in ["-", "/dev/stdin"] {
            let ran = piped(&line.replace("FILE", stream), file);
            assert_eq!(ran.status, named.status, "{line} {stream}: {ran:?}");
            // Only a program of the IR's text has its name in it.
            let renamed = if file.ends_with(".ir") { ran.stdout } else { ran.stdout.replace("stdin", &stem) };
            assert_eq!(words(&renamed), words(&named.stdout), "{line} {stream}");
        }
    }
    let unclear = piped("compile -", "programs/captures/README.md");
    assert_eq!(unclear.status, 2);
    assert!(unclear.stderr.starts_with("error: cannot tell the language of `-`"), "{unclear:?}");
    let domino = piped("trace - --packet 0800", FLOWLET);
    assert!(domino.status == 0 && domino.stdout.contains("bypassed: the program does not apply"), "{domino:?}");
}

/// Columns are as wide as their longest name.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().filter(|word| !word.starts_with("--")).collect()
}

#[test]
fn tables_come_from_standard_input_and_nothing_reads_it_twice() {
    let commands = "crates/polyplane/tests/golden/p4/commands.txt";
    let line = |tables: &str| format!("trace {SWITCH} --tables {tables} --packet 0800");
    let named = run_line(&line(commands));
    assert_eq!(piped(&line("-"), commands), named);
    let twice = piped("trace - --tables - --packet 0800", SWITCH);
    assert!(twice.status == 2 && twice.stderr.contains("can be read only once"), "{twice:?}");
    let twice = piped("run - --traffic 1=-", SWITCH);
    assert!(twice.status == 2 && twice.stderr.contains("can be read only once"), "{twice:?}");
}

/// Paths in a plan on standard input are those of the current folder.
#[test]
fn a_plan_comes_from_standard_input() {
    let folder = project().join("crates/polyplane/tests/golden/sim");
    let plan = folder.join("two_transports.toml");
    let named = common::run_in(&folder, &["sim", "two_transports.toml", "--print-plan"]);
    assert_eq!(named.status, 0, "{named:?}");
    for stream in ["-", "/dev/stdin"] {
        let ran = run_on_file(&folder, &["sim", stream, "--print-plan"], &plan);
        assert_eq!((ran.status, ran.stdout.replace("stdin", "two_transports")), (0, named.stdout.clone()), "{stream}");
    }
    let bad = piped("reproduce mp5 --plan -", "crates/polyplane/tests/golden/sim/wrong.toml");
    assert!(bad.status == 2 && bad.stderr.contains("--> -:"), "{bad:?}");
}

/// All results get their names together, and captures are results.
#[test]
fn captures_of_a_network_appear_with_its_tables_or_not_at_all() {
    let out = absent_folder();
    let sim = || {
        let end = "--workload permutation:9kB --probes captures=host-0 --out-dir";
        run_line(&format!("sim --topology single-switch:hosts=2 {end} {}", out.display()))
    };
    let capture = out.join("host-0-port-0.pcapng");
    std::fs::create_dir_all(out.join("index.html")).expect("a folder");
    let refused = sim();
    assert!(refused.status == 2 && refused.stderr.contains("index.html is a folder"), "{refused:?}");
    assert_eq!(files_below(&out), Vec::<std::path::PathBuf>::new());
    std::fs::remove_dir(out.join("index.html")).expect("an empty folder");
    assert_eq!(sim().status, 0);
    assert!(capture.is_file());
    let manifest = std::fs::read_to_string(out.join("manifest.txt")).expect("a manifest");
    assert!(manifest.contains("host-0-port-0.pcapng") && !manifest.contains("partial"), "{manifest}");
}

/// What is wrong with the last machine was once told after the first had run.
#[test]
fn check_refuses_a_bad_machine_option_before_any_machine_runs() {
    let line = "check programs/p4/packet_counter/packet_counter.p4 --machines banzai,mp5 --placement absent=0";
    let ran = run_line(line);
    assert!(ran.status == 2 && ran.stderr.contains("absent"), "{ran:?}");
    assert!(!ran.stderr.contains("packets on"), "{ran:?}");
}
