//! Helpers shared by the tests: compiling a text, and running packets through the result.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use diagnostics::Sources;
use ir::Program;
use ir::interpret::Interpreter;

/// The number of random cases: `PROPTEST_CASES`, or `usual` if it is not set.
pub fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Compiles a program without included files. Returns the program and its rendered warnings, or the rendered errors.
pub fn try_compile(text: &str) -> Result<(Program, String), String> {
    try_compile_with(text, &[])
}

/// Compiles a program that may include the given files.
pub fn try_compile_with(text: &str, files: &[(&str, &str)]) -> Result<(Program, String), String> {
    let include = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "there is no such file".to_owned())
    };
    let mut sources = Sources::new();
    match domino::compile(&mut sources, "test.c", text, &include) {
        Ok(compiled) => {
            ir::verify::program(&compiled.program).expect("a compiled program is valid");
            Ok((compiled.program, compiled.warnings.render(&sources, false)))
        }
        Err(errors) => Err(errors.render(&sources, false)),
    }
}

/// Compiles a program that must be valid.
pub fn compile(text: &str) -> Program {
    try_compile(text).unwrap_or_else(|errors| panic!("{errors}")).0
}

/// Returns the rendered errors of a program that must be invalid.
pub fn errors(text: &str) -> String {
    match try_compile(text) {
        Ok((program, _)) => panic!("this was accepted:\n{program}"),
        Err(errors) => errors,
    }
}

/// A program that runs packet by packet.
pub struct Run {
    interpreter: Interpreter,
}

impl Run {
    pub fn new(text: &str) -> Self {
        Self { interpreter: Interpreter::new(&compile(text)) }
    }

    /// Processes one packet with these fields, in order (zero for those that are not given), and returns all its
    /// fields.
    pub fn packet(&mut self, fields: &[i32]) -> Vec<i32> {
        let program = self.interpreter.program();
        let count = program.fields().count();
        let mut values = vec![0; program.variables.len()];
        for (value, field) in values.iter_mut().zip(fields) {
            *value = u64::from(*field as u32);
        }
        self.interpreter.packet(&mut values);
        values[..count].iter().map(|&value| value as u32 as i32).collect()
    }

    /// Returns the values of a register.
    pub fn register(&self, name: &str) -> Vec<i32> {
        let register = self.interpreter.program().register_named(name).expect("the register exists");
        self.interpreter.registers().array(register.index()).iter().map(|&value| value as u32 as i32).collect()
    }
}

/// Returns the value of an expression of `a`, `b` and `c`.
pub fn value_of(expression: &str, a: i32, b: i32, c: i32) -> i32 {
    let text = format!(
        "struct Packet {{ int a; int b; int c; int r; }};
         void f(struct Packet p) {{ int a = p.a; int b = p.b; int c = p.c; p.r = {expression}; }}"
    );
    Run::new(&text).packet(&[a, b, c])[3]
}
