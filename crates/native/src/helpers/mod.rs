//! Functions that compiled code calls where inline code would be long or would have to know the layout of Rust types.
//!
//! Every helper takes the context first and then words, and returns a word or nothing. No helper panics on any packet,
//! because nothing may unwind through compiled code.

mod checksums;
mod gate;
mod packets;
mod shared;
mod tables;
mod wide;

pub(crate) use checksums::hash_of_words;
pub(crate) use gate::pass_gate;
pub(crate) use tables::{HIT, NOTHING_RUNS};
pub(crate) use wide::{LOGIC, UNARY};

macro_rules! helpers {
    ($($helper:ident => $function:path, $parameters:literal $(-> $returns:literal)?;)*) => {
        /// The name of a helper.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Helper {
            $(#[doc = concat!("[`", stringify!($function), "`]")] $helper,)*
        }

        impl Helper {
            /// All helpers, in the order of their declaration.
            pub(crate) const ALL: &[Self] = &[$(Self::$helper,)*];

            /// Returns the symbol under which compiled code refers to the helper.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$helper => stringify!($helper),)* }
            }

            /// Returns the address of the helper.
            pub(crate) fn address(self) -> *const u8 {
                match self { $(Self::$helper => $function as *const u8,)* }
            }

            /// Returns the number of words that the helper takes after the context.
            pub(crate) const fn parameters(self) -> usize {
                match self { $(Self::$helper => $parameters,)* }
            }

            /// Returns true if the helper returns a word.
            pub(crate) const fn returns(self) -> bool {
                match self { $(Self::$helper => false $(|| $returns)?,)* }
            }
        }
    };
}

helpers! {
    WideClear => wide::clear, 2;
    WideLogic => wide::logic, 5;
    WideEqual => wide::equal, 3 -> true;
    WideWindow => wide::window, 5;
    WideExtend => wide::extend, 4;
    WideUnary => wide::unary, 4;
    WideBinary => wide::binary, 6;
    WideShift => wide::shift, 6;
    WideLess => wide::less, 4 -> true;
    WideWrap => wide::wrap, 3 -> true;
    ReadFields => packets::read_fields, 2;
    ReadBits => packets::read_bits, 4;
    EmitFields => packets::emit_fields, 1;
    EmitBits => packets::emit_bits, 3;
    Grow => packets::grow, 1;
    Reach => packets::reach, 1;
    PassGate => gate::pass, 0 -> true;
    Count => shared::count, 3;
    CountEntry => shared::count_entry, 3;
    Measure => shared::measure, 4 -> true;
    MeasureEntry => shared::measure_entry, 4 -> true;
    Filter => shared::filter, 3 -> true;
    Detect => shared::detect, 3 -> true;
    Random => shared::random, 3 -> true;
    RandomWide => shared::random_wide, 4;
    Clone => shared::clone, 3;
    Mirror => shared::mirror, 3;
    Resubmit => shared::resubmit, 3;
    Recirculate => shared::recirculate, 1;
    Truncate => shared::truncate, 1;
    Digest => shared::digest, 2;
    BitsClear => checksums::clear, 0;
    BitsPush => checksums::push, 2;
    BitsPushWide => checksums::push_wide, 2;
    BitsPushPayload => checksums::push_payload, 0;
    Checksum => checksums::checksum, 1 -> true;
    SumWide => checksums::sum_wide, 3 -> true;
    SumPayload => checksums::sum_payload, 1 -> true;
    Hash => checksums::hash, 4 -> true;
    Find => tables::find, 3 -> true;
    FindWithoutShortcut => tables::find_without_shortcut, 3 -> true;
    FindAndCount => tables::find_and_count, 3 -> true;
    AsksSelector => tables::asks_selector, 3 -> true;
    Choose => tables::choose, 3 -> true;
    LookUp => tables::look_up, 2 -> true;
    Slot => tables::slot, 2 -> true;
    ValueSet => tables::value_set, 2 -> true;
}
