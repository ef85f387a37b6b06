//! Golden tests: programs whose first line says what to do with them, each with a file of the expected output beside
//! it.
//!
//! `UPDATE_EXPECT=1` writes the actual output to these files instead; review the difference before you keep it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ir::Program;
use passes::{
    Compiled, Dependency, Failure, Finding, Fitting, Layout, Limit, Made, Observer, Operations, PASSES, Step,
    TablePart, Target, apply, compile, graphviz,
};

#[test]
fn programs_produce_the_expected_output() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    assert!(files.len() >= 20, "only {} files in {}", files.len(), folder.display());
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = String::new();
    for file in &files {
        let found = outcome(file);
        let beside = file.with_extension("expected");
        if update {
            std::fs::write(&beside, found).expect("the folder can be written");
        } else if std::fs::read_to_string(&beside).ok().as_deref() != Some(&found) {
            let _ = writeln!(wrong, "{}: found\n{found}", file.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("a folder of the project").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ir") {
            files.push(path);
        }
    }
}

/// Executes the command in the first line of a file: `pass <name>`, `graph <name of the pass before>`, `compile
/// <options>` or `least`. Returns its output.
fn outcome(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("a file of the project");
    let name = file.file_name().and_then(|name| name.to_str()).expect("a name in ASCII");
    let mut program = ir::parse::program(name, &text).unwrap_or_else(|errors| panic!("{}: {errors}", file.display()));
    let command = text.lines().next().unwrap_or("").trim_start_matches("//").trim();
    let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
    match verb {
        "pass" => match apply(rest, &mut program) {
            Ok(()) => checked(&program),
            Err(findings) => findings.iter().map(finding).collect(),
        },
        "graph" => {
            for pass in PASSES {
                apply(pass, &mut program).expect("a program that is not refused");
                if pass == rest {
                    break;
                }
            }
            graphviz(&program)
        }
        "compile" => compiled(&program, rest),
        "least" => least(&program),
        _ => panic!("{}: what is `{command}`?", file.display()),
    }
}

/// Returns the text of a program, after checking that it parses back.
fn checked(program: &Program) -> String {
    let text = program.to_string();
    assert_eq!(ir::parse::program("printed", &text).as_ref().ok(), Some(program), "{text}");
    text
}

fn finding(finding: &Finding) -> String {
    let notes: String = finding.notes.iter().map(|note| format!("  {note}\n")).collect();
    format!("- {}\n{notes}", finding.message)
}

/// Compiles a program. The options begin with `single` or `mp5`, followed by `stages=match_action` if wanted, and then
/// others such as `depth=4`, `atom=pair`, `sram=12`, `flow=a,b` or `emit=hoisting`; `emit=fitting` shows the resources
/// used.
fn compiled(program: &Program, options: &str) -> String {
    let mut options = options.split_whitespace();
    let machine = options.next().expect("a machine");
    let mut target = Target::default();
    let mut flow_order = Vec::new();
    let mut emit = None;
    for option in options {
        let (key, value) = option.split_once('=').expect("key=value");
        let number = || value.parse().expect("a number");
        match key {
            "stages" => target = Target::match_action(),
            "tables" => target.match_action.tables = number(),
            "sram" => target.match_action.sram_blocks = number(),
            "tcam" => target.match_action.tcam_blocks = number(),
            "depth" => target.depth = number(),
            "stateful" => target.stateful_per_stage = number(),
            "stateless" => target.stateless_per_stage = number(),
            "atom" => target.atom = value.to_owned(),
            "overflow" => target.assume_no_overflow = value == "no",
            "flow" => flow_order = value.split(',').map(str::to_owned).collect(),
            "emit" => emit = Some(value),
            "operations" if value == "none" => {
                target.operations =
                    Operations { shift: false, multiply: false, divide_by_constant: false, divide: false };
            }
            _ => panic!("what is `{option}`?"),
        }
    }
    let layout = if machine == "single" { Layout::Single } else { Layout::Steered { flow_order } };
    let mut last = Last { of: emit, text: None };
    match compile(program, &target, layout, &mut last) {
        Ok(compiled) if emit == Some("fitting") => fitting(&compiled),
        Ok(Compiled { unresolved, .. }) => {
            let mut text = last.text.expect("a pass that was run");
            for unresolved in unresolved {
                let _ = writeln!(text, "// {unresolved}");
            }
            text
        }
        Err(Failure::Resources(refused)) => refused.report.to_string(),
        Err(other) => panic!("{other}"),
    }
}

/// An observer that keeps the output of one pass, or of the last.
struct Last<'a> {
    of: Option<&'a str>,
    text: Option<String>,
}

impl Observer for Last<'_> {
    fn ends(&mut self, pass: &'static str, made: Made<'_>) {
        if self.of.is_none_or(|of| of == pass) {
            self.text = Some(made.to_string());
        }
    }
}

/// Describes the resources used, the dependencies, and the critical path.
fn fitting(compiled: &Compiled) -> String {
    let Fitting { uses, tables, dependencies, critical_path } = &compiled.fitting;
    let mut text = String::new();
    for (stage, used) in uses.iter().enumerate() {
        let used = Limit::PER_STAGE.into_iter().filter(|&limit| used.of(limit) > 0);
        let used: Vec<String> = used.map(|limit| limit.quantity(uses[stage].of(limit))).collect();
        let _ = writeln!(text, "stage {stage}: {}", used.join(", "));
    }
    for table in tables {
        let name = &compiled.pipeline.program.tables[table.table.index()].name;
        for TablePart { stage, entries, blocks } in &table.parts {
            let _ = writeln!(text, "{name}: {entries} entries in stage {stage}, {blocks:?}");
        }
    }
    for Dependency { from, to, kind } in dependencies {
        let _ = writeln!(text, "{from} -> {to}: {kind}");
    }
    for Step { stage, what } in critical_path {
        let _ = writeln!(text, "{stage}: {what}");
    }
    text
}

/// Describes the least atom of each codelet.
fn least(program: &Program) -> String {
    let target = Target { atom: passes::ANY_ATOM.to_owned(), depth: 1000, ..Target::default() };
    let compiled = compile(program, &target, Layout::Single, &mut ()).expect("no limits");
    let mut text = String::new();
    for (codelet, least) in compiled.codelets.all.iter().zip(compiled.codelets.least()) {
        let least = match least {
            None => "reads only".to_owned(),
            Some(least) => {
                let exact = least.exact.map_or_else(|reason| format!("none, {reason}"), |m| m.template.to_string());
                let lesser = least.without_overflow.map(|m| format!("; {} if no sum overflows", m.template));
                exact + &lesser.unwrap_or_default()
            }
        };
        let _ = writeln!(text, "{}: {least}", codelet.registers.join(", "));
    }
    text
}
