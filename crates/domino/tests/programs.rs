//! Checks the front end and the interpreter with the programs of `programs/domino/`: for the packets of each, every
//! field of every packet and every register must have the value that `programs/domino/reference.py` computed from the
//! algorithms, independently of this workspace.

use std::fs;
use std::path::{Path, PathBuf};

use diagnostics::Sources;
use ir::interpret::Interpreter;
use ir::{Program, Type};
use runtime::binding::{Binding, FieldShape};

/// A table of field values.
struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<i64>>,
}

impl Table {
    /// Reads comma-separated integers below a line of names. The columns for the time and port of arrival are skipped,
    /// because they do not matter to an interpreter.
    fn read(path: &Path) -> Self {
        let text = read(path);
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().expect("a line of names").split(',').collect();
        let is_field = |column: usize| !matches!(names.get(column), Some(&("time" | "port")));
        let columns: Vec<String> =
            names.iter().enumerate().filter(|(at, _)| is_field(*at)).map(|(_, name)| (*name).to_owned()).collect();
        let values = |line: &str| {
            let cells = line.split(',').enumerate().filter(|(column, _)| is_field(*column));
            cells.map(|(_, cell)| number(path, cell)).collect::<Vec<i64>>()
        };
        let rows: Vec<Vec<i64>> = lines.map(values).collect();
        assert!(!rows.is_empty(), "{}: no packets", path.display());
        assert!(rows.iter().all(|row| row.len() == columns.len()), "{}: a row is short", path.display());
        Self { columns, rows }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn number(path: &Path, text: &str) -> i64 {
    text.trim().parse().unwrap_or_else(|error| panic!("{}: `{text}`: {error}", path.display()))
}

/// Returns the folders of the programs, by name.
fn folders() -> Vec<(String, PathBuf)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/domino");
    let mut folders: Vec<(String, PathBuf)> = fs::read_dir(&all)
        .expect("programs/domino")
        .map(|entry| entry.expect("an entry of programs/domino").path())
        .filter(|path| path.join("packets.csv").exists())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    folders.sort();
    assert!(folders.len() >= 13, "programs are missing: {folders:?}");
    folders
}

fn compile(name: &str, folder: &Path) -> Program {
    let mut sources = Sources::new();
    match domino::compile_file(&mut sources, &folder.join(format!("{name}.c"))) {
        Ok(compiled) => {
            let warnings = compiled.warnings.render(&sources, false);
            assert!(compiled.warnings.is_empty(), "our own programs give no reason for a warning:\n{warnings}");
            compiled.program
        }
        Err(errors) => panic!("{name} does not compile:\n{}", errors.render(&sources, false)),
    }
}

/// Runs the packets of a folder and describes each difference from the expected values.
fn differences(name: &str, folder: &Path, program: &Program) -> Vec<String> {
    let packets = Table::read(&folder.join("packets.csv"));
    let expected = Table::read(&folder.join("expected.csv"));
    let fields: Vec<String> = program.fields().map(|(_, field)| field.name.clone()).collect();
    assert_eq!(fields, expected.columns, "{name}: expected.csv has every field of struct Packet, in its order");
    assert_eq!(packets.rows.len(), expected.rows.len(), "{name}: one expected line a packet");
    for column in &packets.columns {
        assert!(fields.contains(column), "{name}: no field `{column}`");
    }

    let mut found = Vec::new();
    let mut interpreter = Interpreter::new(program);
    let mut values = vec![0; program.variables.len()];
    for (packet, (row, must)) in packets.rows.iter().zip(&expected.rows).enumerate() {
        for (id, field) in program.fields() {
            let given = packets.column(&field.name).map_or(0, |column| row[column]);
            values[id.index()] = Type::INT32.value_of(given);
        }
        interpreter.packet(&mut values);
        for ((id, field), &must) in program.fields().zip(must) {
            let is = Type::INT32.number(values[id.index()]);
            if is != i128::from(must) {
                found.push(format!("{name}, packet {packet}: {} is {is}, must be {must}", field.name));
            }
        }
    }

    let must = expected_registers(folder, program);
    for (id, register) in program.registers.iter().enumerate() {
        for (index, (&is, &must)) in interpreter.registers().array(id).iter().zip(&must[id]).enumerate() {
            if is != must {
                let (is, must) = (register.ty.number(is), register.ty.number(must));
                found.push(format!("{name}: {}[{index}] ends as {is}, must be {must}", register.name));
            }
        }
    }
    found
}

/// Returns the initial values of all registers, changed as `registers.expected` says.
fn expected_registers(folder: &Path, program: &Program) -> Vec<Vec<u64>> {
    let path = folder.join("registers.expected");
    let mut values: Vec<Vec<u64>> = program.registers.iter().map(ir::Register::initial_values).collect();
    for line in read(&path).lines() {
        let (place, value) = line.split_once(" = ").unwrap_or_else(|| panic!("{}: `{line}`", path.display()));
        let (register, index) = match place.strip_suffix(']').and_then(|place| place.split_once('[')) {
            Some((register, index)) => (register, number(&path, index) as usize),
            None => (place, 0),
        };
        let id = program.register_named(register).unwrap_or_else(|| panic!("{}: no `{register}`", path.display()));
        let is_scalar = program.register(id).length.is_none();
        assert_eq!(is_scalar, !place.ends_with(']'), "{}: `{line}`", path.display());
        values[id.index()][index] = program.register(id).ty.value_of(number(&path, value));
    }
    values
}

#[test]
fn programs_compute_what_their_algorithms_do() {
    let mut found = Vec::new();
    for (name, folder) in folders() {
        found.extend(differences(&name, &folder, &compile(&name, &folder)));
    }
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
}

#[test]
fn small_mistakes_in_programs_are_detected() {
    // Validates the test above: it must fail for a comparison that is off by one, a wrong factor or a wrong index.
    let slips = [
        ("flowlet", "#define PAUSE 500", "#define PAUSE 501"),
        ("conga", "packet.metric < best_metric", "packet.metric <= best_metric"),
        ("figure3", "* packet.factor", "+ packet.factor"),
        ("sequencer", "GROUPS - 1", "GROUPS - 2"),
    ];
    for (name, right, wrong) in slips {
        let folder = folders().into_iter().find(|(known, _)| known == name).expect("the program").1;
        let text = read(&folder.join(format!("{name}.c")));
        assert!(text.contains(right), "{name} has no `{right}`");
        let mut sources = Sources::new();
        let no_file = |path: &str| Err(format!("`{path}` is not needed"));
        let compiled = domino::compile(&mut sources, name, &text.replace(right, wrong), &no_file);
        let program = compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false))).program;
        assert!(!differences(name, &folder, &program).is_empty(), "{name}: `{wrong}` went unnoticed");
    }
}

#[test]
fn accepts_every_binding_file() {
    for (name, folder) in folders() {
        let program = compile(&name, &folder);
        let fields = program.fields().map(|(_, field)| FieldShape { name: &field.name, width: field.ty.width() });
        let fields: Vec<FieldShape<'_>> = fields.collect();
        let path = folder.join(format!("{name}.toml"));
        let mut sources = Sources::new();
        let file = path.exists().then(|| sources.add(format!("{name}.toml"), read(&path)));
        if let Err(errors) = Binding::resolve(&fields, file.map(|id| (&sources, id))) {
            panic!("{}", errors.render(&sources, false));
        }
    }
}

#[test]
fn printed_programs_parse_back_unchanged() {
    for (name, folder) in folders() {
        let program = compile(&name, &folder);
        let text = program.to_string();
        let read_back = ir::parse::program(&name, &text).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        assert_eq!(read_back, program, "{text}");
    }
}
