//! The declaration of a transport's counters.

/// Declares `Counters`: a struct of numbers, which are reported under their field names in the order of declaration.
macro_rules! counters {
    ($( $(#[$meta:meta])* $name:ident, )*) => {
        /// The counters of the transport.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Counters {
            $( $(#[$meta])* pub $name: u64, )*
        }

        impl Counters {
            /// Reports all counters, in the order of declaration.
            pub fn tell(&self, tell: &mut dyn FnMut(node::Counter)) {
                $( tell(node::Counter { name: stringify!($name), port: None, value: self.$name }); )*
            }
        }
    };
}
pub(crate) use counters;
