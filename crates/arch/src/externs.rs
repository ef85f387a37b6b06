//! What an architecture declares for programs: its header, externs and properties of tables.

/// The header that declares an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name by which programs include it.
    pub name: &'static str,
    /// The text of it.
    pub text: &'static str,
    /// What it declares at the top level beside the package and the externs.
    pub declares: &'static [&'static str],
}

/// What an extern function does. Where architectures declare one in different forms, each form is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Gives fields of the intrinsic metadata values, -1 being all ones: of the metadata that it is given, or else of
    /// the packet's own.
    Assign(&'static [(&'static str, i64)]),
    /// `hash(result, algorithm, base, data, max)`
    Hash,
    /// `random(result, low, high)`
    Random,
    /// `digest(receiver, data)`
    Digest,
    /// `clone(type, session)`, with what the clone keeps behind them
    Clone(Kept),
    /// `resubmit(kept)`
    Resubmit(Kept),
    /// `recirculate(kept)`
    Recirculate(Kept),
    /// `truncate(length)`
    Truncate,
    /// `verify_checksum(condition, data, checksum, algorithm)`
    VerifyChecksum {
        /// The checksum is also one of the bytes that the parser left.
        with_payload: bool,
    },
    /// `update_checksum(condition, data, checksum, algorithm)`
    UpdateChecksum {
        /// The checksum is also one of the bytes that the parser left.
        with_payload: bool,
    },
    /// `log_msg(text, data)`
    Log,
    /// `assert(condition)`
    Assert,
}

/// How a call says what another instance of a packet keeps of its metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// By the number of a field list; without one, nothing.
    List,
    /// By naming the fields; without any, nothing.
    Fields,
}

/// What an extern object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// An array of registers.
    Registers,
    /// An array of counters.
    Counter,
    /// A counter for each entry of a table.
    DirectCounter,
    /// An array of meters.
    Meter,
    /// A meter for each entry of a table.
    DirectMeter,
    /// Actions that entries of tables share.
    Profile,
    /// The same with groups.
    Selector,
    /// The Internet checksum, which has no state.
    Checksum,
}

/// What a property of a table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The direct counter that counts the packets of each entry.
    Counters,
    /// The direct meter that measures the packets of each entry.
    Meters,
    /// The action profile or selector that holds the actions.
    Implementation,
    /// Whether the control plane hears of entries that no packet matches any more.
    SupportTimeout,
}
