//! `polyplane serve`: a switch without interfaces, for P4Runtime controllers.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use polyplane::Failure;
use polyplane::rooms::basis::Duration;
use polyplane::rooms::switchd::SwitchPlan;
use polyplane::rooms::units;
use polyplane::rooms::workbench::kinds;

use crate::controllers::ControllersArguments;
use crate::live::start::{Until, run_plan};
use crate::machine_options::MachineArguments;
use crate::packet_arguments::{PreprocessorArguments, TablesArguments};

/// The examples in the help.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane serve router.p4                           # at 127.0.0.1:9559\n  \
    polyplane serve --machine native                    # a controller brings the program\n  \
    polyplane serve router.p4 --p4runtime 0.0.0.0:9559 --tls-certificate server.pem --tls-key server.key\n  \
    polyplane compile router.p4 --controller-files build/   # what controllers load\n\n\
    `polyplane live` serves controllers too, with real interfaces. The other commands of `live` work here: `polyplane live \
    show tables`, `polyplane live trace`, `polyplane live stop`.";

/// The port that is assigned to P4Runtime (IANA, service p4runtime).
const PORT: u16 = 9559;

/// The arguments of `polyplane serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The program's file. Without one, a controller brings the program.
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// The options of the preprocessor.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// The machine. `native` is the fastest for a program with a parser.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The table entries.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// The server [default: at 127.0.0.1:9559].
    #[command(flatten)]
    pub controllers: ControllersArguments,
    /// How long to run, such as 60s [default: until Ctrl-C].
    #[arg(long = "for", value_name = "TIME", value_parser = units::duration)]
    pub time: Option<Duration>,
    /// The control socket [default: as of `polyplane live`].
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    /// The seed of every random choice.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &ServeArguments) -> Result<u8, Failure> {
    let listen = arguments.controllers.p4runtime.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)));
    let controllers = ControllersArguments { p4runtime: Some(listen), ..arguments.controllers.clone() };
    let plan = match arguments.program.as_deref() {
        Some(program) if program == Path::new("-") => {
            return Err(Failure::plain("a switch reads its program again, so that it must be a file"));
        }
        Some(program) => SwitchPlan::of_program(program.to_owned()),
        None if !arguments.tables.tables.is_empty() => return Err(Failure::plain("`--tables` needs a program")),
        None => SwitchPlan::named("switch".to_owned()),
    };
    let plan = SwitchPlan {
        options: arguments.preprocessor.options(),
        machine: arguments.on.name.as_deref().map(kinds::named).transpose()?,
        given: arguments.on.options.given.clone(),
        tables: arguments.tables.tables.clone(),
        socket: arguments.socket.clone(),
        seed: arguments.seed,
        p4runtime: controllers.plan(None)?,
        ..plan
    };
    run_plan(plan, &Until { check: false, time: arguments.time, json: arguments.json })
}
