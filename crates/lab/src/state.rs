//! Labs that are there: what each has made, in a file of its folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Failure, there_are};
use serde::{Deserialize, Serialize};

/// The folder of all labs. It lies beside the names of network namespaces, and vanishes with them.
const FOLDER: &str = "/run/polyplane/lab";
/// The file in the folder of a lab that says what it is made of.
const FILE: &str = "lab.json";
/// The ending of plans of switches.
const PLAN: &str = "toml";

/// The labs of this computer, or of the mount namespace in which this runs.
#[derive(Clone, Debug)]
pub struct Labs {
    folder: PathBuf,
}

/// A lab: what it is made of, or was to be made of when somebody began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lab {
    /// The name.
    pub name: String,
    /// The file of the plan.
    pub plan: String,
    /// The folder in which the commands of hosts run.
    pub folder: PathBuf,
    /// Whether the lab was made to the end.
    pub is_up: bool,
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The switches.
    pub switches: Vec<Switch>,
    /// The links.
    pub links: Vec<Link>,
    /// The folder of the lab itself.
    #[serde(skip)]
    run: PathBuf,
}

/// A host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    /// The name.
    pub name: String,
    /// The network namespace.
    pub namespace: Namespace,
    /// The interface.
    pub interface: String,
    /// The address, with the length of its prefix.
    pub address: Option<String>,
    /// The MAC address, if the plan gives one.
    pub mac: Option<String>,
}

/// A switch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// The name.
    pub name: String,
    /// The network namespace of its interfaces. The process of the switch runs outside, so that controllers reach it.
    pub namespace: Namespace,
    /// The file of the program.
    pub program: PathBuf,
    /// The machine.
    pub machine: String,
    /// The address at which P4Runtime is served.
    pub p4runtime: Option<String>,
}

/// A network namespace with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The name, as `ip netns` has it.
    pub name: String,
    /// The device and number of its file, by which another one of this name is recognised; `None` until it is made.
    pub identity: Option<(u64, u64)>,
}

/// A link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Link {
    /// The name for commands.
    pub name: String,
    /// The two ends; a host, if there is one, is the first.
    pub ends: [LinkEnd; 2],
    /// The rate in each direction, if it has one.
    pub rate: Option<String>,
    /// The delay in each direction, if it has one.
    pub delay: Option<String>,
}

/// An end of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEnd {
    /// The name of the host or switch.
    pub node: String,
    /// The number of the port, for a switch.
    pub port: Option<u16>,
    /// The name of the interface in the node's namespace.
    pub interface: String,
}

impl Default for Labs {
    fn default() -> Self {
        Self { folder: FOLDER.into() }
    }
}

impl Labs {
    /// Returns the folder of a lab, whether there is one or not.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the names of the labs, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().join(FILE).is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    /// Returns the lab of a name, or the only one.
    ///
    /// # Errors
    /// Fails if there is none, several and no name is given, or its file cannot be read.
    pub fn find(&self, name: Option<&str>) -> Result<Lab, Failure> {
        let names = self.names();
        let hint = |text: &str| text.to_owned();
        let (message, hint) = match (&names[..], name) {
            (_, Some(name)) if names.iter().any(|known| known == name) => return self.read(name),
            ([only], None) => return self.read(only),
            ([], None) => (hint("no lab is there"), hint("`polyplane lab up FILE` makes one")),
            ([], Some(name)) => (format!("there is no lab `{name}`"), hint("`polyplane lab up FILE` makes one")),
            (_, Some(name)) => (format!("there is no lab `{name}`"), there_are(name, names.iter().map(String::as_str))),
            (_, None) => {
                (format!("{} labs are there", names.len()), format!("name one by `--lab`: {}", names.join(", ")))
            }
        };
        Err(Diagnostic::without_place(message).hint(hint).into())
    }

    fn read(&self, name: &str) -> Result<Lab, Failure> {
        let run = self.folder(name);
        let file = run.join(FILE);
        let cannot = |error: String| -> Failure {
            let error = Diagnostic::without_place(format!("cannot read {}: {error}", file.display()));
            error.hint(format!("`polyplane lab down {name}` removes what is left of the lab")).into()
        };
        let text = fs::read_to_string(&file).map_err(|error| cannot(error.to_string()))?;
        let lab: Lab = serde_json::from_str(&text).map_err(|error| cannot(error.to_string()))?;
        Ok(Lab { run, ..lab })
    }

    /// Keeps others from choosing names and ports for labs until what is returned is dropped.
    ///
    /// # Errors
    /// Fails if the folder of all labs cannot be made or locked.
    pub(crate) fn lock(&self) -> Result<fs::File, Failure> {
        let cannot = |error: io::Error| Failure::plain(format!("cannot lock {}: {error}", self.folder.display()));
        fs::create_dir_all(&self.folder).map_err(cannot)?;
        // The folder itself is locked (flock(2)), so that there is no file to leave behind.
        let folder = fs::File::open(&self.folder).map_err(cannot)?;
        folder.lock().map_err(cannot)?;
        Ok(folder)
    }

    /// Begins a lab: makes its folder, which nobody else may have made, and writes what is going to be made.
    pub(crate) fn begin(&self, lab: Lab) -> Result<Lab, Failure> {
        let run = self.folder(&lab.name);
        let cannot = |error: io::Error| Failure::plain(format!("cannot make {}: {error}", run.display()));
        match fs::create_dir(&run) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let error = Diagnostic::without_place(format!("there is a lab `{}` already", lab.name));
                let hint =
                    format!("`polyplane lab down {}` removes it; `--name` gives this one another name", lab.name);
                return Err(error.hint(hint).into());
            }
            Err(error) => return Err(cannot(error)),
        }
        let lab = Lab { run, ..lab };
        lab.write()?;
        Ok(lab)
    }
}

impl Lab {
    /// Returns a lab of which nothing is made.
    pub(crate) fn new(name: String, plan: String, folder: PathBuf) -> Self {
        let (hosts, switches, links) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, plan, folder, is_up: false, hosts, switches, links, run: PathBuf::new() }
    }

    /// Returns the lab with its folder.
    pub(crate) fn in_folder(self, run: PathBuf) -> Self {
        Self { run, ..self }
    }

    /// Writes the file, as a whole or not at all.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let file = self.run.join(FILE);
        let new = self.run.join(format!("{FILE}.new"));
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        let written =
            fs::File::create(&new).and_then(|mut out| out.write_all(&text)).and_then(|()| fs::rename(&new, &file));
        written.map_err(|error| Failure::plain(format!("cannot write {}: {error}", file.display())))
    }

    /// Returns the folder of the lab.
    pub fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Returns the file of a switch's plan.
    pub fn switch_plan(&self, switch: &str) -> PathBuf {
        self.run.join(format!("{switch}.{PLAN}"))
    }

    /// Returns the control socket of a switch.
    pub fn socket(&self, switch: &str) -> PathBuf {
        self.run.join(format!("{switch}.sock"))
    }

    /// Returns the file to which a switch writes what it has to say.
    pub fn log(&self, switch: &str) -> PathBuf {
        self.run.join(format!("{switch}.log"))
    }

    /// Returns the switch of a name.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn switch(&self, name: &str) -> Result<&Switch, Failure> {
        let found = self.switches.iter().find(|switch| switch.name == name);
        found.ok_or_else(|| self.none("switch", name, self.switches.iter().map(|switch| &*switch.name)))
    }

    /// Returns the network namespace of a host or a switch.
    ///
    /// # Errors
    /// Fails if there is no such node.
    pub fn namespace_of(&self, node: &str) -> Result<&Namespace, Failure> {
        let hosts = self.hosts.iter().map(|host| (&*host.name, &host.namespace));
        let mut nodes = hosts.chain(self.switches.iter().map(|switch| (&*switch.name, &switch.namespace)));
        let found = nodes.clone().find(|(name, _)| *name == node).map(|(_, namespace)| namespace);
        found.ok_or_else(|| self.none("host or switch", node, nodes.by_ref().map(|(name, _)| name)))
    }

    /// Returns the link of a name: that which [`Link::name`] has, the same with the ends the other way round, or the name of
    /// an interface at one of its ends.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn link(&self, name: &str) -> Result<&Link, Failure> {
        let is_meant = |link: &&Link| {
            let [one, other] = &link.ends;
            let turned =
                [(&one.node, &other.node), (&one.interface, &other.interface)].map(|(a, b)| format!("{b}-{a}"));
            let has_two = self.links.iter().filter(|known| known.name == link.name).count() > 1;
            let ends_of_switches = link.ends.iter().filter(|end| end.port.is_some());
            !has_two && (link.name == name || turned.iter().any(|turned| turned == name))
                || ends_of_switches.into_iter().any(|end| end.interface == name)
        };
        let found = self.links.iter().find(is_meant);
        found.ok_or_else(|| self.none("link", name, self.links.iter().map(|link| &*link.name)))
    }

    fn none<'n>(&self, what: &str, name: &str, names: impl Iterator<Item = &'n str>) -> Failure {
        let error = Diagnostic::without_place(format!("the lab `{}` has no {what} `{name}`", self.name));
        error.hint(there_are(name, names.collect::<Vec<_>>())).into()
    }

    /// Returns all network namespaces.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Namespace> {
        self.hosts.iter().map(|host| &host.namespace).chain(self.switches.iter().map(|switch| &switch.namespace))
    }

    /// Returns all network namespaces, to be changed.
    pub(crate) fn namespaces_mut(&mut self) -> impl Iterator<Item = &mut Namespace> {
        let hosts = self.hosts.iter_mut().map(|host| &mut host.namespace);
        hosts.chain(self.switches.iter_mut().map(|switch| &mut switch.namespace))
    }
}
