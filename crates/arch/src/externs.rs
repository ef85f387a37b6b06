//! The declarations of an architecture for programs: its P4 header, externs and properties of tables.

/// The P4 header that declares an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The file name by which programs include it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The files that it includes, other than `core.p4`: names and texts. Programs can include them, too.
    pub parts: &'static [(&'static str, &'static str)],
    /// The names that it declares at the top level. Packages and externs that the architecture lists can be left out.
    pub declares: &'static [&'static str],
}

impl Header {
    /// Returns the text of the file of a name, if it is the header or a part of it.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        self.files().find(|(own, _)| *own == name).map(|(_, text)| text)
    }

    /// Returns the names and texts of the header and of its parts.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        [(self.name, self.text)].into_iter().chain(self.parts.iter().copied())
    }
}

/// The effect of an extern function. An architecture that declares a function in different forms has one of these for
/// each form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Assigns values to fields of the intrinsic metadata, where -1 stands for all ones. The fields are those of the
    /// metadata that is passed as an argument, or else those of the packet.
    Assign(&'static [(&'static str, i64)]),
    /// `hash(result, algorithm, base, data, max)`
    Hash,
    /// `random(result, low, high)`
    Random,
    /// `digest(receiver, data)`
    Digest,
    /// `clone(type, session)`, followed by what the clone preserves
    Clone(Kept),
    /// `resubmit(kept)`
    Resubmit(Kept),
    /// `recirculate(kept)`
    Recirculate(Kept),
    /// `truncate(length)`
    Truncate,
    /// `verify_checksum(condition, data, checksum, algorithm)`
    VerifyChecksum {
        /// Whether the checksum also covers the bytes that the parser left.
        with_payload: bool,
    },
    /// `update_checksum(condition, data, checksum, algorithm)`
    UpdateChecksum {
        /// Whether the checksum also covers the bytes that the parser left.
        with_payload: bool,
    },
    /// `log_msg(text, data)`
    Log,
    /// `assert(condition)`
    Assert,
    /// `min(one, other)`
    Minimum,
    /// `max(one, other)`
    Maximum,
    /// `funnel_shift_right(result, high, low, distance)`
    FunnelShiftRight,
    /// `sizeInBytes(header)`
    SizeInBytes,
    /// `sizeInBits(header)`
    SizeInBits,
    /// `invalidate(field)`: the field gets the value with which the switch begins.
    Invalidate,
    /// `is_validated(header or field)`
    IsValidated,
    /// `port_metadata_unpack(packet)`: reads a struct from the metadata of the port, which has this number of bits.
    UnpackPortMetadata {
        /// The number of bits in front of the packet, which are skipped.
        bits: u32,
    },
}

/// The way in which a call specifies the metadata that another instance of the packet preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// By the number of a field list; without one, nothing is preserved.
    List,
    /// By naming the fields; without any, nothing is preserved.
    Fields,
}

/// The kind of an extern object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A register array.
    Registers,
    /// An array of counters.
    Counter,
    /// A direct counter: one for each entry of a table.
    DirectCounter,
    /// An array of meters.
    Meter,
    /// A direct meter: one for each entry of a table.
    DirectMeter,
    /// An action profile: actions that entries of tables share.
    Profile,
    /// An action selector: an action profile with groups.
    Selector,
    /// The Internet checksum, which has no state.
    Checksum,
    /// Registers of which each entry of a table has one.
    DirectRegisters,
    /// A computation between one read and one write of a register: `RegisterAction(register)`.
    RegisterAction,
    /// A computation between one read and one write of the bit that says whether a member of a selector is there.
    SelectorAction,
    /// A number that the control plane alone changes.
    RegisterParameter,
    /// A function that a table of 16 numbers approximates.
    MathUnit,
    /// A hash function: `Hash(algorithm)` or `Hash(algorithm, polynomial)`.
    Hash,
    /// The polynomial of a cyclic redundancy check.
    Polynomial,
    /// A source of random numbers: `get()`.
    Random,
    /// The Internet checksum with a sum that travels with the packet.
    ChecksumUnit,
    /// A number by which a parser counts.
    ParserCounter,
    /// The priority of a packet in front of its parser.
    ParserPriority,
    /// Mirrored packets: `emit(session, header)`.
    Mirror,
    /// Resubmission: `emit(header)`.
    Resubmission,
    /// Digests: `pack(data)`.
    Digest,
    /// Low-pass filters.
    Filter,
    /// Low-pass filters of which each entry of a table has one.
    DirectFilter,
    /// Weighted random early detection.
    EarlyDetection,
    /// Weighted random early detection of which each entry of a table has one.
    DirectEarlyDetection,
    /// A hint to the compiler of a chip about the memory of a table.
    TableHint,
    /// The value of a table's property [`Property::SupportTimeout`]: its entries have idle timeouts.
    IdleTimeout,
}

/// The meaning of a property of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The direct counter that counts the packets of each entry.
    Counters,
    /// The direct meter that measures the packets of each entry.
    Meters,
    /// The action profile or selector that holds the actions.
    Implementation,
    /// The low-pass filters or the early detection of each entry.
    Filters,
    /// The direct registers that each entry has.
    Registers,
    /// A hint to the compiler of a chip about the memory of the table, which changes no meaning.
    Hint,
    /// Whether the control plane is notified of entries that no packet has matched for some time: a Boolean, or an
    /// [`Object::IdleTimeout`].
    SupportTimeout,
}
