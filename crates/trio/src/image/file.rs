//! Images as bytes.

use std::sync::Arc;

use diagnostics::Sources;
use ir::threads::{Cause, EventId, InstructionId, ThreadEntrance, Threads, TimerId};
use ir::{Program, VariableId};

use super::text::{Reader, Writer};
use super::{Image, SourceLine, disassembled, registers};
use crate::encoding::{self, Damage, Layout, MOST_WORDS};
use crate::execute::MOST_UNITS;
use crate::parameters::Parameters;

/// The first words of the file.
const KIND: &str = "Polyplane image of Trio";

/// The number of the format. Images of another one are refused.
const FORMAT: u32 = 1;

impl Image {
    /// Returns whether the bytes of a file begin as those of an image do.
    pub fn is_image(bytes: &[u8]) -> bool {
        bytes.starts_with(KIND.as_bytes())
    }

    /// Returns the image as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let threads = self.program.threads.as_ref().expect("a program of threads");
        let mut writer = Writer::default();
        for number in self.parameters.numbers() {
            writer.number(number as usize);
        }
        let mut declarations = Program::clone(&self.program);
        if let Some(threads) = &mut declarations.threads {
            (threads.instructions, threads.entrances) = (Vec::new(), Vec::new());
        }
        writer.text(&declarations.to_string());
        writer.number(threads.entrances.len());
        for entrance in &threads.entrances {
            let number = match entrance.cause {
                Cause::Packet => 0,
                Cause::Timer(id) => id.index(),
                Cause::Event(id) => id.index(),
            };
            writer.number(entrance.cause.number() as usize);
            writer.number(number);
            writer.number(entrance.start.index());
        }
        let mut files: Vec<&str> = self.lines.iter().flatten().map(|line| &*line.file).collect();
        files.sort_unstable();
        files.dedup();
        writer.number(files.len());
        files.iter().for_each(|file| writer.text(file));
        writer.number(self.words.len());
        for (instruction, line) in threads.instructions.iter().zip(&self.lines) {
            writer.text(&instruction.name);
            let file = line.as_ref().and_then(|line| files.iter().position(|file| *file == line.file));
            writer.number(file.map_or(0, |file| file + 1));
            writer.number(line.as_ref().map_or(0, |line| line.line as usize));
        }
        writer.number(self.layout.registers.len());
        self.layout.registers.iter().for_each(|variable| writer.number(variable.index()));
        let memory = self.memory().expect("`new` has encoded the words");
        writer.number(self.layout.instructions.len());
        for instruction in &self.layout.instructions {
            writer.number(instruction.map_or(0, |instruction| instruction.index() + 1));
        }
        let size = memory.first().map_or(0, Vec::len);
        writer.number(size);
        for instruction in &self.layout.instructions {
            match instruction {
                Some(instruction) => writer.0.extend(&memory[instruction.index()]),
                None => writer.0.extend(std::iter::repeat_n(0, size)),
            }
        }
        files::sealed::seal(KIND, FORMAT, &writer.0)
    }

    /// Reads an image from the bytes of a file.
    ///
    /// # Errors
    /// If the bytes are not exactly those of an image: the checksum is wrong, or a word is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damage> {
        let content = files::sealed::open(KIND, FORMAT, bytes).map_err(|broken| Damage(broken.to_string()))?;
        let image = read(&mut Reader(content))?;
        // There is one way to write an image.
        if image.to_bytes() == bytes { Ok(image) } else { Err(Damage("its parts do not fit together".to_owned())) }
    }
}

fn read(reader: &mut Reader<'_>) -> Result<Image, Damage> {
    let mut numbers = [0; Parameters::COUNT];
    for number in &mut numbers {
        *number = reader.number()? as u32;
    }
    let parameters = Parameters::of_numbers(numbers);
    if parameters.check().is_err() {
        return Err(Damage(format!("its words have more than {MOST_UNITS} units of a kind")));
    }
    let mut declarations = declared(reader.text()?)?;
    let threads = declarations.threads.get_or_insert_default();
    for _ in 0..reader.count()? {
        let (kind, number, start) = (reader.number()?, reader.number()?, reader.number()?);
        let cause = match kind {
            0 => Cause::Packet,
            1 => Cause::Timer(TimerId::from(number)),
            2 => Cause::Event(EventId::from(number)),
            _ => return Err(Damage("threads begin for an unknown cause".to_owned())),
        };
        threads.entrances.push(ThreadEntrance { cause, start: InstructionId::from(start) });
    }
    let files = (0..reader.count()?).map(|_| reader.text()).collect::<Result<Vec<_>, _>>()?;
    let count = reader.count()?;
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    for _ in 0..count {
        names.push(reader.text()?);
        let (file, line) = (reader.number()?, reader.number()? as u32);
        let file = file.checked_sub(1).and_then(|file| files.get(file));
        lines.push(file.map(|file| SourceLine { file: (*file).to_owned(), line }));
    }
    let variables = declarations.variables.len();
    let mut all = Vec::new();
    for _ in 0..reader.count()? {
        let variable = reader.number()?;
        if variable >= variables {
            return Err(Damage("a register has no variable".to_owned()));
        }
        all.push(VariableId::from(variable));
    }
    let size = reader.count()?;
    if size > MOST_WORDS || count > size {
        return Err(Damage("its instructions do not fit in instruction memory".to_owned()));
    }
    let mut instructions = Vec::new();
    for _ in 0..size {
        let instruction = reader.number()?.checked_sub(1);
        if instruction.is_some_and(|instruction| instruction >= count) {
            return Err(Damage("an instruction lies at an address that does not exist".to_owned()));
        }
        instructions.push(instruction.map(InstructionId::from));
    }
    let in_memory = Layout::of_memory(all, instructions);
    let word_bytes = reader.number()?;
    let mut words = Vec::new();
    for _ in 0..count {
        words.push(encoding::decode(reader.bytes(word_bytes)?, &in_memory, &parameters)?);
    }
    let program = disassembled(&declarations, names.into_iter(), &words)?;
    let used = registers(program.threads.as_ref().map_or(&[], |threads| &threads.instructions));
    if used.iter().any(|variable| in_memory.register(*variable).is_none()) {
        return Err(Damage("a variable has no register".to_owned()));
    }
    // The layout follows from the words; that it is the one in memory, writing the image again shows.
    let layout = Layout::new(in_memory.registers, &words);
    Ok(Image { parameters, program: Arc::new(program), words, layout, lines })
}

/// Returns the program that a text declares, without instructions.
fn declared(text: &str) -> Result<Program, Damage> {
    let mut sources = Sources::new();
    let source = sources.add("image", text);
    let mut program = ir::parse::program_in(&sources, source).map_err(|errors| {
        let first = errors.iter().next().map(|error| error.message.clone()).unwrap_or_default();
        Damage(format!("its declarations are wrong: {first}"))
    })?;
    let threads: &mut Threads = program.threads.get_or_insert_default();
    (threads.instructions, threads.entrances) = (Vec::new(), Vec::new());
    Ok(program)
}
