//! What is left of labs whose files are gone or cannot be read.

use std::fs;

use diagnostics::{Diagnostic, Failure};

use crate::state::{Host, Lab, Labs};
use crate::{namespace, plan, process};

impl Labs {
    /// Returns the names of all labs of which anything is left, in order.
    pub fn names_of_remains(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder(""))
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        let marked = namespace::of_labs().into_iter().filter(|(space, lab, _)| space.marked_by().as_ref() == Some(lab));
        names.extend(marked.map(|(_, lab, _)| lab));
        names.retain(|name| can_be_a_lab(name));
        names.sort();
        names.dedup();
        names
    }

    /// Returns what is left of a lab without its file: the namespaces that have its mark, as hosts without interfaces.
    /// Returns `None` if there are none, and neither its folder nor a switch of it is there.
    pub fn remains(&self, name: &str) -> Option<Lab> {
        if !can_be_a_lab(name) {
            return None;
        }
        let run = self.folder(name);
        let mut lab = Lab::new(name.to_owned(), String::new(), run.clone());
        for (mut space, of, node) in namespace::of_labs() {
            if of == name && space.marked_by().is_some_and(|marked| marked == name) {
                space.identity = space.present();
                lab.hosts.push(Host {
                    name: node,
                    namespace: space,
                    interface: String::new(),
                    address: None,
                    mac: None,
                });
            }
        }
        let is_there = !lab.hosts.is_empty() || run.is_dir() || !process::of_folder(&run).is_empty();
        is_there.then(|| lab.in_folder(run))
    }

    /// Returns the lab of a name, or the only one, for its removal: by its file, or if that is gone or cannot be read, by
    /// what is left.
    ///
    /// # Errors
    /// Fails if there is none, or several and no name is given.
    pub fn find_remains(&self, name: Option<&str>) -> Result<Lab, Failure> {
        let failure = match self.find(name) {
            Ok(lab) => return Ok(lab),
            Err(failure) => failure,
        };
        let names = name.map_or_else(|| self.names_of_remains(), |name| vec![name.to_owned()]);
        match &names[..] {
            [only] => self.remains(only).ok_or(failure),
            [] => Err(failure),
            _ => {
                let error = Diagnostic::without_place(format!("{} labs are there, or parts of them", names.len()));
                Err(error.hint(format!("name one, or give `--all`: {}", names.join(", "))).into())
            }
        }
    }
}

/// Returns whether a lab can have a name, which becomes that of its folder.
fn can_be_a_lab(name: &str) -> bool {
    plan::name_problem(name).is_none()
}
