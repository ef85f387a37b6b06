//! A condition on the next notification of an idle entry.

use runtime::tables::EntryHandle;

use crate::{EntryDetails, EntrySelection, IdleEntry, Info, Request, TableNumber, TableRequest};

/// A condition on the next notification of an idle entry, of those that no earlier line has looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleCheck {
    /// The entry that the notification must be about; `None` if no notification must be left.
    pub entry: Option<ExpectedIdle>,
}

/// An entry that must have been found idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedIdle {
    /// The name of the entry in the test.
    pub name: String,
    /// The table.
    pub table: TableNumber,
    /// The entry in the table.
    pub entry: EntrySelection,
    /// The pipe to which the entry was added, if it was one.
    pub pipe: Option<u32>,
}

impl ExpectedIdle {
    /// Returns the request that reads the entry, by which its handle is found.
    pub fn read(&self) -> Request {
        let read = TableRequest::Read(Some(self.entry.clone()), EntryDetails::NONE);
        Request::Table(self.table, read).in_pipe(self.pipe)
    }
}

impl IdleCheck {
    /// Checks the next notification. `handle` is that of the expected entry.
    ///
    /// # Errors
    /// Returns a description of the notification if it is not as it must be, or there is none.
    pub fn verify(&self, info: &Info, next: Option<&IdleEntry>, handle: Option<EntryHandle>) -> Result<(), String> {
        let found = next.map(|next| {
            let pipe = next.pipe.map_or(String::new(), |pipe| format!(" in pipe {pipe}"));
            format!(
                "entry {} of table `{}`{pipe} was found idle",
                next.handle().0,
                info.table(next.table).identity.name
            )
        });
        match (&self.entry, next, found) {
            (None, _, None) => Ok(()),
            (None, _, Some(found)) => Err(found),
            (Some(expected), Some(next), _)
                if (next.table, next.pipe) == (expected.table, expected.pipe) && Some(next.handle()) == handle =>
            {
                Ok(())
            }
            (Some(expected), _, Some(found)) => Err(format!("{found}; it must have been `{}`", expected.name)),
            (Some(expected), ..) => Err(format!("`{}` was not found idle", expected.name)),
        }
    }
}
