//! How reasons are declared.

/// Declares reasons, each with its meaning as the doc comment, its rank and its name ([`Declaration`](crate::Declaration)),
/// and `ALL` of them:
///
/// ```
/// pub mod reasons {
///     node::reasons! { "ferry":
///         /// It came when the ferry had left.
///         TOO_LATE = (900, "too late");
///     }
/// }
/// assert_eq!(reasons::TOO_LATE.to_string(), "too late");
/// ```
///
/// `by_program` behind a name says that the program asked for it.
#[macro_export]
macro_rules! reasons {
    (@constants $owner:literal: $(
        $(#[doc = $meaning:literal])+ $reason:ident = ($rank:literal, $name:literal $(, $by:ident)?);
    )+) => {
        $(
            $(#[doc = $meaning])+
            pub const $reason: $crate::Reason = {
                // A static, and not a constant behind a reference: it stands in memory once, so that comparing two
                // reasons is comparing two addresses.
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

        /// Every reason that is declared here.
        pub const ALL: &[$crate::Reason] = &[$($reason),+];
    };
}
