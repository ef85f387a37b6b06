//! The registers of one pipeline, stored one after the other in one vector.

use ir::{Initial, Program, RegisterId};
use runtime::RegisterFile;

/// The positions of all registers in a memory.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The first cell and the length of each register.
    extents: Vec<(u32, u32)>,
}

/// The values of all registers, as one pipeline holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    cells: Vec<u64>,
}

impl Layout {
    /// Lays out a program's registers in their order. Returns `None` if they need more than 2^32 cells or one is empty.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let mut next = 0u32;
        let mut extents = Vec::with_capacity(program.registers.len());
        for register in &program.registers {
            let length = u32::try_from(register.size()).ok().filter(|&length| length > 0)?;
            extents.push((next, length));
            next = next.checked_add(length)?;
        }
        Some(Self { extents })
    }

    /// Returns the cell of a register at an index, which wraps around.
    #[inline]
    pub(crate) fn cell(&self, register: usize, index: u64) -> usize {
        let (base, length) = self.extents[register];
        base as usize + RegisterFile::wrap(index, length as usize)
    }

    /// Returns the number of cells of all registers.
    pub(crate) fn length(&self) -> usize {
        self.extents.last().map_or(0, |&(base, length)| base as usize + length as usize)
    }

    /// Returns the number of registers.
    pub(crate) fn registers(&self) -> usize {
        self.extents.len()
    }

    /// Returns the range of cells of a register.
    pub(crate) fn cells(&self, register: RegisterId) -> std::ops::Range<usize> {
        let (base, length) = self.extents[register.index()];
        base as usize..base as usize + length as usize
    }
}

impl Memory {
    /// Creates the registers with their initial values. Pages of zeros take no memory until they are written.
    pub(crate) fn new(program: &Program) -> Self {
        let mut cells = vec![0; program.registers.iter().map(ir::Register::size).sum()];
        let mut start = 0;
        for register in &program.registers {
            let own = &mut cells[start..start + register.size()];
            match &register.initial {
                Initial::Fill(0) => {}
                Initial::Fill(value) => own.fill(*value),
                Initial::List(values) => own[..values.len()].copy_from_slice(values),
            }
            start += register.size();
        }
        Self { cells }
    }

    /// Returns the value of a cell.
    #[inline]
    pub(crate) fn read(&self, cell: usize) -> u64 {
        self.cells[cell]
    }

    /// Sets the value of a cell.
    #[inline]
    pub(crate) fn write(&mut self, cell: usize, value: u64) {
        self.cells[cell] = value;
    }

    /// Returns the cells of all registers.
    #[inline]
    pub(crate) fn cells_mut(&mut self) -> &mut [u64] {
        &mut self.cells
    }

    /// Collects the values of all registers, each from the memory that `of` returns for its register and index.
    pub(crate) fn gather<'m>(layout: &Layout, of: impl Fn(usize, usize) -> &'m Self) -> RegisterFile {
        let mut file = RegisterFile::default();
        for (register, &(base, length)) in layout.extents.iter().enumerate() {
            let mut array = vec![0; length as usize];
            for (index, place) in array.iter_mut().enumerate() {
                // Skip zeros, so that untouched pages take no memory.
                let value = of(register, index).read(base as usize + index);
                if value != 0 {
                    *place = value;
                }
            }
            file.push_narrow(array);
        }
        file
    }

    /// Returns the registers as a register file.
    pub(crate) fn to_registers(&self, layout: &Layout) -> RegisterFile {
        Self::gather(layout, |_, _| self)
    }
}

basis::snapshot!(Memory { values cells; });
