//! What transports count, and how they tell it.

/// Declares `Counters`: numbers under their own names, told in the order in which they are declared.
macro_rules! counters {
    ($( $(#[$meta:meta])* $name:ident, )*) => {
        /// What the transport has counted.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Counters {
            $( $(#[$meta])* pub $name: u64, )*
        }

        impl Counters {
            /// Tells all of them, in the order in which they are declared.
            pub fn tell(&self, tell: &mut dyn FnMut(node::Counter)) {
                $( tell(node::Counter { name: stringify!($name), port: None, value: self.$name }); )*
            }
        }
    };
}
pub(crate) use counters;
