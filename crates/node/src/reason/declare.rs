//! The macro that declares reasons.

/// Declares reasons and a slice `ALL` of them. Each reason has its meaning as the doc comment, its rank and its name;
/// see [`Declaration`](crate::Declaration):
///
/// ```
/// pub mod reasons {
///     node::reasons! { "ferry":
///         /// The packet arrived after the ferry had left.
///         TOO_LATE = (900, "too late");
///     }
/// }
/// assert_eq!(reasons::TOO_LATE.to_string(), "too late");
/// ```
///
/// `by_program` after a name states that the program asked for packets to be discarded for this reason.
#[macro_export]
macro_rules! reasons {
    (@constants $owner:literal: $(
        $(#[doc = $meaning:literal])+ $reason:ident = ($rank:literal, $name:literal $(, $by:ident)?);
    )+) => {
        $(
            $(#[doc = $meaning])+
            pub const $reason: $crate::Reason = {
                // This is a static, not a promoted constant, so that it exists in memory once and two reasons can be
                // compared by their addresses.
                static DECLARATION: $crate::Declaration = $crate::Declaration {
                    rank: $rank,
                    name: $name,
                    owner: $owner,
                    meaning: concat!($($meaning),+).trim_ascii_start(),
                    is_by_program: $crate::reasons!(@by $($by)?),
                };
                $crate::Reason::declared(&DECLARATION)
            };
        )+
    };
    (@by) => { false };
    (@by by_program) => { true };
    ($owner:literal: $($(#[$($meaning:tt)+])+ $reason:ident = $what:tt;)+) => {
        $crate::reasons! { @constants $owner: $($(#[$($meaning)+])+ $reason = $what;)+ }

        /// All reasons that are declared here.
        pub const ALL: &[$crate::Reason] = &[$($reason),+];
    };
}
