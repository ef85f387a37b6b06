//! The command, started and asked as an operator does.

use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time after which something will not happen any more.
const LONGEST: Duration = Duration::from_secs(20);

/// Guest 2 may be spoken to by TCP at port 80, by UDP and by ICMP, and begins nothing by itself.
pub const CONFIGURATION: &str = "name = \"host\"\n[[vpc]]\nname = \"red\"\nvni = 7001\n\
    [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
    [[security_group]]\nname = \"servers\"\n\
    rule = [{ direction = \"in\", protocol = \"tcp\", ports = 80 }, { direction = \"in\", protocol = \"udp\" }, \
    { direction = \"in\", protocol = \"icmp\" }]\n\
    [[vnic]]\nname = \"one\"\ninterface = \"guest1\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.1.1\"]\n\
    [[vnic]]\nname = \"two\"\ninterface = \"guest2\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:02\"\naddresses = [\"10.0.1.2\"]\n\
    security_groups = [\"servers\"]\n";

/// A folder with a configuration and the control socket of its switch.
pub struct Site(PathBuf);

/// A command that runs a switch. It is killed when this is dropped.
pub struct Running(Child, PathBuf);

impl Site {
    pub fn new(configuration: &str) -> Self {
        // Short, for the paths of sockets are.
        let folder = std::env::temp_dir().join(format!("polyplane-upgrade-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        std::fs::write(folder.join("host.toml"), configuration).expect("a file can be written");
        Self(folder)
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Returns the path of a file.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn command(&self, subcommand: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        command.args(["vswitch", subcommand]).args(arguments).args(["--socket", &self.path("host.sock")]);
        command
    }

    fn starts(&self, subcommand: &str, arguments: &[&str], said: &str) -> Running {
        let said = self.0.join(said);
        let file = std::fs::File::create(&said).expect("a file can be written");
        let mut command = self.command(subcommand, arguments);
        let child = command.stdout(Stdio::null()).stderr(file).spawn().expect("the command is built");
        Running(child, said)
    }

    /// Starts the switch as a service manager does that listens at `manager.sock`, and returns when it is served.
    pub fn is_managed(&self, arguments: &[&str]) -> (Running, Manager) {
        let manager = Manager::listen(&self.path("manager.sock"));
        // Processes that are started later inherit it from the first.
        let mut command = self.command("run", &[&self.path("host.toml")]);
        let said = self.0.join("old.txt");
        let file = std::fs::File::create(&said).expect("a file can be written");
        command.args(arguments).env("NOTIFY_SOCKET", self.path("manager.sock"));
        let child = command.stdout(Stdio::null()).stderr(file).spawn().expect("the command is built");
        (Running(child, said), manager)
    }

    /// Starts the switch, and returns when it is served.
    pub fn runs(&self, arguments: &[&str]) -> Running {
        let mut all = vec![self.path("host.toml")];
        all.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let running = self.starts("run", &all, "old.txt");
        self.waits_for("it is served", || running.said().contains("control socket"));
        running
    }

    /// Starts an upgrade, and returns when it has taken over.
    pub fn upgrades(&self, arguments: &[&str]) -> Running {
        let running = self.starts("upgrade", arguments, "new.txt");
        self.waits_for("it has taken over", || running.said().contains("took over"));
        running
    }

    /// Runs an upgrade that must end by itself, and returns its exit status and what it says.
    pub fn fails_to_upgrade(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command("upgrade", arguments).stdin(Stdio::null()).output().expect("the command is built");
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Returns what `vswitch show` prints.
    pub fn asks(&self, what: &str) -> String {
        let output = self.command("show", &[what]).output().expect("the command is built");
        assert!(output.status.success(), "show {what}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Ends a switch by `vswitch stop`, and returns what it has said.
    pub fn stops(&self, mut running: Running) -> String {
        let output = self.command("stop", &[]).output().expect("the command is built");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(running.ends(), "a switch that is stopped has succeeded");
        running.said()
    }

    pub fn waits_for(&self, what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        while !holds() {
            if began.elapsed() > LONGEST {
                let said =
                    ["old.txt", "new.txt"].map(|file| std::fs::read_to_string(self.0.join(file)).unwrap_or_default());
                panic!("{what}: not after {LONGEST:?}\n{}", said.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A service manager that listens to what processes say of themselves (sd_notify(3)).
pub struct Manager(UnixDatagram);

impl Manager {
    fn listen(path: &str) -> Self {
        let socket = UnixDatagram::bind(path).expect("a socket can be made");
        socket.set_read_timeout(Some(LONGEST)).expect("a timeout can be set");
        Self(socket)
    }

    /// Returns the next message.
    pub fn hears(&self) -> String {
        let mut message = [0; 4096];
        let length = self.0.recv(&mut message).expect("somebody says something");
        String::from_utf8_lossy(&message[..length]).trim_end().to_owned()
    }
}

impl Running {
    /// Returns the number of the process.
    pub fn process(&self) -> String {
        self.0.id().to_string()
    }

    /// Returns what it has said.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.1).unwrap_or_default()
    }

    /// Waits until the command has ended, and returns whether it has succeeded.
    pub fn ends(&mut self) -> bool {
        let began = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("it can be waited for") {
                return status.success();
            }
            assert!(began.elapsed() < LONGEST, "it does not end: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
