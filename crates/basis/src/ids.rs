//! Typed indices, which keep a stage number from being used as a register number.

/// Defines a newtype over `u32` that indexes one kind of object.
#[macro_export]
macro_rules! typed_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id as an index into the vector of the numbered objects.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Panics if the index does not fit 32 bits; no table of a program is that long.
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 ids"))
            }
        }
    };
}
