//! Action selectors that are constructed with a hash, and the bits that say which members of their groups are there.
//!
//! The chip has a line of 128 bits for every 120 members that a group can have (p4lang/p4c, `backends/tofino/bf-p4c/mau`:
//! `SelectorRAMLinesPerEntry`, `selector_update.cpp`). A `SelectorAction` is a register action on them.

use std::rc::Rc;

use control::Selector;
use diagnostics::Diagnostic;
use ir::verify::MAX_REGISTER_LENGTH;
use ir::{Initial, ProfileId, Register, RegisterId, Selection, SelectionBits, Type};
use runtime::checksum::Algorithm;
use runtime::profile::SelectionMode;

use crate::lower::Objects;
use crate::lower::arguments::Constructed;
use crate::lower::frame::{Argument, Instance, Made};
use crate::lower::tree::Tree;

/// The members of a group for which there is one line of bits.
const MEMBERS_OF_LINE: u32 = 120;
/// The bits of a line.
const LINE: u32 = 128;
/// The numbers of members of a group and of groups that the public compiler takes for a selector that does not give them
/// (p4lang/p4c, `backends/tofino/bf-p4c/arch/rewrite_action_selector.cpp`).
const USUAL: [u32; 2] = [MEMBERS_OF_LINE, 4];

/// The enumeration that says how a selector selects.
const MODES: &str = "SelectorMode_t";

impl<'a> Objects<'_, 'a> {
    /// Makes a selector that is constructed with a hash: of an action profile, which gets groups, or of a size.
    pub(super) fn make_selector(&mut self, constructed: &Constructed<'_, 'a>, hash: &Rc<Instance<'a>>) -> Made {
        let algorithm = match &hash.made {
            Made::Hash(function) => function.algorithm.clone(),
            _ => Algorithm::Identity,
        };
        let selection = Selection { mode: self.selection_mode(constructed), ..Selection::from(algorithm) };
        // The forms with a register have it where the others have the size of groups.
        let register = match constructed.given.get(3) {
            Some(Some(Argument::Instance(instance))) => match &instance.made {
                Made::Registers(Tree::Scalar(register)) => Some(*register),
                _ => None,
            },
            _ => None,
        };
        let first = if register.is_some() { 4 } else { 3 };
        let given = |this: &mut Self, place| this.constructed_number_if_given(constructed, place).map(|own| own as u32);
        let sizes = [given(self, first), given(self, first + 1)];
        let limits = Selector { maximum_group_size: sizes[0].unwrap_or(0), ..Selector::default() };
        let profile = match constructed.given.first() {
            Some(Some(Argument::Instance(instance))) if let Made::Profile(profile) = instance.made => {
                self.output.program.profiles[profile.index()].selection = Some(selection);
                self.info.profiles[profile.index()].selector = Some(limits);
                profile
            }
            _ => {
                let identity = self.control_plane().identity(constructed.name, constructed.annotations);
                let size = self.constructed_size(constructed, 0, u32::MAX);
                self.info.profiles.push(control::Profile { identity, size, selector: Some(limits) });
                let (name, selection) = (constructed.name.to_owned(), Some(selection));
                self.output.program.profiles.push(ir::Profile { name, size, selection });
                ProfileId::from(self.output.program.profiles.len() - 1)
            }
        };
        let sizes = [0, 1].map(|which| sizes[which].unwrap_or(USUAL[which]).max(1));
        self.switch.selector_sizes.insert(profile, sizes);
        if let Some(register) = register {
            self.bind(constructed, profile, register);
        }
        Made::Profile(profile)
    }

    fn selection_mode(&mut self, constructed: &Constructed<'_, 'a>) -> SelectionMode {
        let mode = self.constructed_number(constructed, 2);
        let mode = mode.and_then(|mode| self.declarations.member_named(self.shapes.types, MODES, mode));
        match mode.as_deref() {
            Some("RESILIENT") => SelectionMode::Resilient,
            _ => SelectionMode::Fair,
        }
    }

    /// Makes an action on the bits of a selector, which get a register if they have none.
    pub(super) fn make_selector_action(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let Some(Some(Argument::Instance(selector))) = constructed.given.first() else { return Made::Nothing };
        let Made::Profile(profile) = selector.made else { return Made::Nothing };
        if self.bits_of(profile).is_some() {
            return Made::RegisterAction;
        }
        let Some(&[members, groups]) = self.switch.selector_sizes.get(&profile) else { return Made::Nothing };
        let size = bits_of_group(members).saturating_mul(groups);
        if size > MAX_REGISTER_LENGTH {
            let message =
                format!("{groups} groups of {members} members take {size} bits; the most is {MAX_REGISTER_LENGTH}");
            self.shapes.found.error(constructed.span, message);
            return Made::Nothing;
        }
        let has_room = self.shapes.limits.has_room_for_registers(self.shapes.found, size, 1);
        let length = Some(if has_room { size } else { 1 });
        let name = self.switch.registers.variable(&format!("{}.$bits", selector.name));
        let registers = &mut self.output.program.registers;
        registers.push(Register { name, ty: Type::Bits(1), length, initial: Initial::Fill(0) });
        let register = RegisterId::from(registers.len() - 1);
        self.bind(constructed, profile, register);
        Made::RegisterAction
    }

    /// Returns the register with the bits of the members of a selector.
    pub(super) fn bits_of(&self, profile: ProfileId) -> Option<RegisterId> {
        self.output.program.profiles[profile.index()].selection.as_ref()?.bits.map(|bits| bits.register)
    }

    /// Makes a register that of the bits of a selector.
    fn bind(&mut self, constructed: &Constructed<'_, 'a>, profile: ProfileId, register: RegisterId) {
        let bound = |own: &&ir::Profile| {
            own.selection.as_ref().and_then(|own| own.bits).is_some_and(|bits| bits.register == register)
        };
        if let Some(other) = self.output.program.profiles.iter().find(bound) {
            let message = format!("the register has the bits of the selector of `{}`, too", other.name);
            return self.shapes.found.error(constructed.span, message);
        }
        let Some(&[members, groups]) = self.switch.selector_sizes.get(&profile) else { return };
        let size = self.output.program.register(register).size() as u32;
        let mut places = bits_of_group(members);
        let needed = u64::from(places) * u64::from(groups);
        if u64::from(size) < needed {
            places = (size / groups).max(1);
            let message =
                format!("the register has {size} bits, and {groups} groups of {members} members take {needed}");
            let hint =
                format!("a group has {places} of them here; the chip has {LINE} for every {MEMBERS_OF_LINE} members");
            self.shapes.found.report(Diagnostic::warning(constructed.span, message).hint(hint));
        }
        if let Some(selection) = &mut self.output.program.profiles[profile.index()].selection {
            selection.bits = Some(SelectionBits { register, places });
        }
        if let Some(selector) = &mut self.info.profiles[profile.index()].selector {
            selector.bits = Some(register.0);
        }
    }
}

/// Returns the number of bits of a group that can have so many members.
const fn bits_of_group(members: u32) -> u32 {
    members.div_ceil(MEMBERS_OF_LINE).saturating_mul(LINE)
}
