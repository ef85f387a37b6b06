//! Switches that run on threads of their own, with a control socket.

use std::path::Path;
use std::thread::JoinHandle;

use files::PlanText;
use tempfile::TempDir;
use vswitch::configuration::read;
use vswitchd::socket::{Server, SocketFile, serve};
use vswitchd::{Switch, SwitchHandle, Totals, UpgradeReport};

/// A switch that runs on a thread of its own.
pub struct Started {
    pub handle: SwitchHandle,
    thread: JoinHandle<Totals>,
    /// The control socket, in a folder that is removed.
    server: Option<(Server, TempDir, std::path::PathBuf)>,
}

impl Started {
    /// Starts the switch of a configuration in this namespace.
    pub fn new(text: &str) -> Self {
        let plan =
            PlanText { name: "host".into(), path: "host.toml".into(), text: text.into(), folder: Default::default() };
        let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let mut started =
            Self::run(move || Switch::open(reading).unwrap_or_else(|failure| panic!("{}", failure.render(false))));
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("host.vswitch");
        let file = SocketFile::listen(&path).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let server = serve(file, started.handle.clone()).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        started.server = Some((server, folder, path));
        started
    }

    /// Starts a switch that stands by.
    pub fn taking_over(report: &UpgradeReport) -> Self {
        let report = report.clone();
        Self::run(move || {
            Switch::open_to_take_over(&report).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
        })
    }

    fn run(open: impl FnOnce() -> Switch + Send + 'static) -> Self {
        // A switch stays on the thread that opens its interfaces.
        let (sender, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let switch = open();
            sender.send(switch.handle()).expect("the test waits for it");
            switch.run(None).expect("no interface fails")
        });
        Self { handle: opened.recv().expect("it can be opened"), thread, server: None }
    }

    /// Returns the path of the control socket.
    pub fn socket(&self) -> &Path {
        &self.server.as_ref().expect("it has one").2
    }

    /// Stops the switch, and returns its counts.
    pub fn end(self) -> Totals {
        self.handle.stop();
        self.joined()
    }

    /// Returns the counts of a switch that is stopped by another one.
    pub fn joined(self) -> Totals {
        let totals = self.thread.join().expect("the switch does not panic");
        assert_eq!(totals.missing(), 0, "every frame has a verdict: {totals:?}");
        totals
    }
}
