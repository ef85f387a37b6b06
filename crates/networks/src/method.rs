//! Methods of experiments whose points are plans of networks: an axis chooses the plan or sets fields of it, and what a
//! run comes to is what is measured.
//!
//! The plans and the files that they name are texts within the program, so that an experiment can be run from any
//! folder. What machines read themselves (programs of switches, their entries, descriptions of chips) is written into a
//! temporary folder before the first plan is read.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::{fs, io};

use experiments::plan::{Axis, Method};
use experiments::sweep::{Job, Measured, REPEATED_OVER, Timeline};
use files::{PlanText, fingerprint};
use plans::{Record, Value};
use tempfile::TempDir;

use crate::Registry;
use crate::plan::{NetworkPlan, ReadText, read_from};
use crate::results::Outcome;
use crate::sweep::{MEASURES, measures, run_alone, with_value};

/// A text within the program: what its file is called, and what stands in it.
pub type Embedded = (&'static str, &'static str);

/// Measures an experiment by running plans of networks.
///
/// Its axes are the one that chooses the plan, then those that set fields of it. `seed`, if an experiment has it, is
/// the seed of the plan.
pub struct NetworkMethod {
    name: &'static str,
    files: &'static [Embedded],
    /// The files that machines read, by their paths from the folder of the plans.
    programs: &'static [Embedded],
    /// The folder on the disk with these files, once it is needed, or why there is none.
    disk: OnceLock<Result<TempDir, String>>,
    choice: (&'static str, Vec<(&'static str, &'static str)>),
    fields: Vec<(Axis, Sets)>,
    files_by_point: Option<FilesByPoint>,
    together: Vec<(Vec<Axis>, SetsTogether)>,
    measures: Vec<&'static str>,
    measure: fn(&Outcome) -> Record,
    states: &'static [&'static str],
    courses: &'static [&'static str],
    timeline: fn(&Outcome) -> Timeline,
}

/// The fields that a value of an axis sets in a plan, each as a path from the root: `workload.0.bytes`.
enum Sets {
    /// This field, to the value itself.
    Field(&'static str),
    /// Fields and their values that a function gives; [`Value::Missing`] removes one of several tables.
    By(fn(&Value) -> Vec<(&'static str, Value)>),
}

/// Says which fields become what at a point, and which files for machines the plan then needs.
type SetsTogether = fn(&Record, &[Embedded]) -> Changes;

/// What a point changes in its plan.
#[derive(Debug, Default)]
pub struct Changes {
    /// The fields, each as a path from the root, and their values.
    pub fields: Vec<(&'static str, Value)>,
    /// Files that machines read, by their paths from the folder of the plans, with their texts. One path always has the same
    /// text.
    pub files: Vec<(String, String)>,
}

/// Makes of a file that a plan names what stands in it for a point.
type FilesByPoint = fn(&str, &Record) -> String;

impl NetworkMethod {
    /// The method of a name whose plans and the files that they name are among `files`. Each word of the axis
    /// `choice.0` stands for the plan in a file.
    pub fn new(
        name: &'static str,
        files: &'static [Embedded],
        choice: (&'static str, &[(&'static str, &'static str)]),
    ) -> Self {
        Self {
            name,
            files,
            programs: &[],
            disk: OnceLock::new(),
            choice: (choice.0, choice.1.to_vec()),
            fields: Vec::new(),
            files_by_point: None,
            together: Vec::new(),
            measures: MEASURES.to_vec(),
            measure: |_| Record::new(),
            states: &[],
            courses: &[],
            timeline: |_| Timeline::default(),
        }
    }

    /// Adds an axis whose values are put into a field.
    #[must_use]
    pub fn with_field(mut self, axis: Axis, field: &'static str) -> Self {
        self.fields.push((axis, Sets::Field(field)));
        self
    }

    /// Adds an axis for each of whose values a function says which fields become what. [`Value::Missing`] in the place
    /// of one of several tables, such as `workload.1`, removes it.
    #[must_use]
    pub fn with_fields(mut self, axis: Axis, sets: fn(&Value) -> Vec<(&'static str, Value)>) -> Self {
        self.fields.push((axis, Sets::By(sets)));
        self
    }

    /// Adds axes that set fields together: a function says which, given the whole point and the programs of the method.
    #[must_use]
    pub fn with_axes(mut self, axes: Vec<Axis>, sets: SetsTogether) -> Self {
        self.together.push((axes, sets));
        self
    }

    /// Adds programs of switches, with the files that they include, their entries and descriptions of chips. A plan names
    /// them by their paths from its folder, such as `../../programs/p4/ndp/ndp.p4`.
    #[must_use]
    pub fn with_programs(mut self, programs: &'static [Embedded]) -> Self {
        self.programs = programs;
        self
    }

    /// Makes the files that plans name depend on the point: `change` is given what stands in a file, and the point, which
    /// has a `seed` only if the experiment has it.
    #[must_use]
    pub fn with_files_by_point(mut self, change: FilesByPoint) -> Self {
        self.files_by_point = Some(change);
        self
    }

    /// Adds an axis on which only files that plans name depend ([`NetworkMethod::with_files_by_point`]).
    #[must_use]
    pub fn with_axis_of_files(self, axis: Axis) -> Self {
        self.with_fields(axis, |_| Vec::new())
    }

    /// Adds measures beside [`MEASURES`], which a function takes from the outcome of a run. What it does not give is
    /// missing.
    #[must_use]
    pub fn with_measures(mut self, names: &[&'static str], measure: fn(&Outcome) -> Record) -> Self {
        self.measures.extend(names);
        self.measure = measure;
        self
    }

    /// Adds what figures over time show: the names of states, those of numbers over time, and a function that takes from the
    /// outcome of a run when each was so.
    #[must_use]
    pub fn with_timeline(
        mut self,
        states: &'static [&'static str],
        courses: &'static [&'static str],
        timeline: fn(&Outcome) -> Timeline,
    ) -> Self {
        self.states = states;
        self.courses = courses;
        self.timeline = timeline;
        self
    }

    /// The plan of a point.
    fn plan(&self, point: &Record) -> Result<NetworkPlan, String> {
        let word = point.word(self.choice.0).unwrap_or_default();
        let chosen = self.choice.1.iter().find(|(known, _)| *known == word);
        let (_, file) = chosen.ok_or_else(|| format!("there is no plan for `{word}`"))?;
        let text = self.text(file).ok_or_else(|| format!("there is no plan {file}"))?;
        let (name, path) = (file.trim_end_matches(".toml").to_owned(), (*file).to_owned());
        let mut plan = PlanText { name, path, text: text.to_owned(), folder: self.folder()? };
        for (axis, sets) in &self.fields {
            let Some(value) = point.get(axis.name) else { continue };
            let fields = match sets {
                Sets::Field(field) => vec![(*field, value.clone())],
                Sets::By(sets) => sets(value),
            };
            for (field, value) in fields {
                plan.text = with_value(&plan, &plan.text, field, &value).map_err(|failure| failure.to_string())?;
            }
        }
        for (_, sets) in &self.together {
            let Changes { fields, files } = sets(point, self.programs);
            for (field, value) in fields {
                plan.text = with_value(&plan, &plan.text, field, &value).map_err(|failure| failure.to_string())?;
            }
            for (path, text) in files {
                self.write(&path, &text)?;
            }
        }
        let seed = point.integer(REPEATED_OVER);
        let mut plan = read_from(&plan, seed, &Registry::default(), &*self.reader(point))
            .map_err(|failure| failure.to_string())?;
        // These are files, and no measure is taken from them.
        plan.probes.captures.clear();
        plan.probes.perfetto = false;
        Ok(plan)
    }

    /// Returns the folder of the plans: one on the disk if machines read files.
    fn folder(&self) -> Result<PathBuf, String> {
        if self.programs.is_empty() {
            return Ok(PathBuf::new());
        }
        let disk = self.disk.get_or_init(|| {
            written(self.programs).map_err(|error| format!("cannot write programs into a temporary folder: {error}"))
        });
        disk.as_ref().map(|disk| disk.path().join(FOLDER)).map_err(Clone::clone)
    }

    /// Writes a file for machines, unless it is there.
    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.folder()?.join(path);
        if path.exists() {
            return Ok(());
        }
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn text(&self, file: &str) -> Option<&'static str> {
        self.files.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }

    /// The reader of the files that plans name.
    fn reader(&self, point: &Record) -> Box<ReadText> {
        let (files, by_point, folder) = (self.files, self.files_by_point, self.folder().unwrap_or_default());
        let point = point.clone();
        Box::new(move |path: &Path| {
            let path = path.strip_prefix(&folder).unwrap_or(path);
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            let (_, text) = found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it is not in the program"))?;
            Ok(by_point.map_or_else(|| (*text).to_owned(), |change| change(text, &point)))
        })
    }
}

/// The place of the plans below the temporary folder: as deep as `experiments/PAPER` is in the project.
const FOLDER: &str = "experiments/paper";

/// Writes files into a new temporary folder, by their paths from [`FOLDER`] below it.
fn written(files: &[Embedded]) -> io::Result<TempDir> {
    let disk = TempDir::new()?;
    fs::create_dir_all(disk.path().join(FOLDER))?;
    for (name, text) in files {
        let mut below = PathBuf::from(FOLDER);
        for component in Path::new(name).components() {
            match component {
                Component::ParentDir if below.pop() => {}
                Component::Normal(name) => below.push(name),
                _ => return Err(io::Error::other(format!("{name} is not below the project"))),
            }
        }
        let path = disk.path().join(below);
        fs::create_dir_all(path.parent().unwrap_or(disk.path()))?;
        fs::write(path, text)?;
    }
    Ok(disk)
}

impl Method for NetworkMethod {
    fn name(&self) -> &str {
        self.name
    }

    fn axes(&self) -> Vec<Axis> {
        let choice = Axis::words(self.choice.0, self.choice.1.iter().map(|(word, _)| word));
        let own = self.fields.iter().map(|(axis, _)| axis).chain(self.together.iter().flat_map(|(axes, _)| axes));
        std::iter::once(choice).chain(own.cloned()).collect()
    }

    fn measures(&self) -> &[&str] {
        &self.measures
    }

    fn states(&self) -> &[&str] {
        self.states
    }

    fn courses(&self) -> &[&str] {
        self.courses
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let plan = Arc::new(self.plan(point)?);
        let task = move || {
            let outcome = run_alone(&plan)?;
            let (usual, own) = (measures(&outcome), (self.measure)(&outcome));
            let value = |name: &str| own.get(name).or_else(|| usual.get(name)).cloned().unwrap_or(Value::Missing);
            let measures = self.measures.iter().fold(Record::new(), |record, name| record.with(*name, value(name)));
            Ok(Measured { measures, timeline: (self.timeline)(&outcome) })
        };
        // The key stands for the contents: what else a run depends on is within the program.
        Ok(Job::new(point.clone(), 1, task))
    }

    fn explanations(&self) -> Vec<(String, String)> {
        let explain = |(word, file): &(&str, &str)| {
            let title = self.text(file).and_then(|text| text.lines().find_map(|line| line.strip_prefix("title = ")));
            ((*word).to_owned(), format!("{} ({file})", title.unwrap_or_default().trim_matches('"')))
        };
        self.choice.1.iter().map(explain).collect()
    }

    fn inputs(&self) -> Vec<(String, String)> {
        let hash =
            |(name, text): &Embedded| ((*name).to_owned(), format!("fnv1a64:{:016x}", fingerprint(text.as_bytes())));
        self.files.iter().chain(self.programs).map(hash).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use experiments::sweep::sweep;

    use super::*;

    const FILES: &[Embedded] = &[
        (
            "pair.toml",
            "title = 'A pair'\n[topology]\nkind = 'single-switch'\nhosts = 3\n[switch]\nqueue = 'trimming'\n\
          limit = '8 packets'\n[[workload]]\nkind = 'matrix'\nfile = 'pair.cm'\n[[workload]]\nkind = 'incast'\n\
          senders = 2\nbytes = '9 kB'\nreceiver = 0\n[probes]\nevery = '1 us'\nqueues = ['switch:0']\n\
          captures = ['host-0']\n",
        ),
        ("pair.cm", "Nodes 3\nConnections 1\nTriggers 0\n1->0 id 1 start 0 size 1000\n"),
    ];

    /// A plan of three hosts, whose message grows with the seed.
    fn method() -> NetworkMethod {
        NetworkMethod::new("pair", FILES, ("plan", &[("pair", "pair.toml")]))
            .with_fields(Axis::words("beside", ["nothing", "incast"]), |value| match value.word() {
                Some("nothing") => vec![("workload.1", Value::Missing)],
                _ => Vec::new(),
            })
            .with_field(Axis::integers("hosts", 2..=9), "topology.hosts")
            .with_files_by_point(|text, point| {
                let seed = point.integer(REPEATED_OVER).unwrap_or(1);
                text.replace("size 1000", &format!("size {}", 1000 * seed))
            })
            .with_measures(&["queues_seen", "never"], |outcome| {
                Record::new().with("queues_seen", outcome.series.queues().len())
            })
    }

    fn point(beside: &str, hosts: u64, seed: u64) -> Record {
        let point = Record::new().with("plan", "pair").with("beside", beside);
        point.with("hosts", hosts).with(REPEATED_OVER, seed)
    }

    #[test]
    fn a_point_sets_fields_of_the_plan_and_seeds_its_files() {
        let method = method();
        let points = [point("nothing", 3, 1), point("nothing", 3, 2), point("incast", 3, 1)];
        let jobs = points.each_ref().map(|point| method.job(point).expect("a plan"));
        let rows = |threads| sweep(&jobs, NonZeroUsize::new(threads).expect("some"), None, &mut |_| {}).expect("runs");
        let found = rows(1);
        assert_eq!(found, rows(2));
        let delivered: Vec<Option<f64>> = found.iter().map(|row| row.measures.number("bytes_delivered")).collect();
        assert_eq!(delivered, [1000.0, 2000.0, 19_000.0].map(Some));
        for row in &found {
            let names: Vec<&str> = row.measures.iter().map(|(name, _)| name).collect();
            assert_eq!(names, method.measures());
            assert_eq!(row.measures.get("queues_seen"), Some(&Value::Integer(1)), "probes of queues are kept");
            assert_eq!(row.measures.get("never"), Some(&Value::Missing));
            let usual = MEASURES.iter().filter(|name| row.measures.get(name) == Some(&Value::Missing));
            assert_eq!(usual.count(), 0, "every run has the usual measures: {:?}", row.measures);
        }
        assert_eq!(jobs[0].contents(), method.job(&points[0]).expect("a plan").contents());
        assert_ne!(jobs[0].contents(), jobs[1].contents());
    }

    const PROGRAM: &[Embedded] = &[
        (
            "routed.toml",
            "title = 'Routed'\n[topology]\nkind = 'single-switch'\nhosts = 4\n[switch]\nqueue = 'drop-tail'\n\
             program = '../../programs/forward.p4'\nentries = ['routes.txt']\n[[workload]]\nkind = 'matrix'\n\
             file = 'pair.cm'\n",
        ),
        ("pair.cm", "Nodes 3\nConnections 1\nTriggers 0\n1->0 id 1 start 0 size 1000\n"),
    ];

    #[test]
    fn a_long_run_leaves_and_meets_no_growing_tables() {
        let method = method().with_field(Axis::integers("bytes", 1..=100_000_000), "workload.1.bytes");
        let job = method.job(&point("incast", 3, 1).with("bytes", 100_000_000u64)).expect("a plan");
        // Progress is told many times; a file that another run has in the folder from which this one is run stays.
        let others = Path::new("queues.csv.partial");
        fs::write(others, "of another run").expect("a file");
        let rows = sweep(&[job], NonZeroUsize::MIN, None, &mut |_| {}).expect("it runs");
        assert!(rows[0].measures.number("packet_hops") > Some(100_000.0), "{:?}", rows[0].measures);
        let found = fs::read_to_string(others).expect("it is still there");
        fs::remove_file(others).expect("a file");
        assert_eq!(found, "of another run");
    }

    #[test]
    fn programs_of_switches_are_within_the_program_too() {
        const FILES: &[Embedded] = &[
            ("../../programs/forward.p4", include_str!("../tests/network/forward.p4")),
            ("routes.txt", include_str!("../tests/network/routes.txt")),
        ];
        let method = NetworkMethod::new("routed", PROGRAM, ("plan", &[("routed", "routed.toml")])).with_programs(FILES);
        let job = method.job(&Record::new().with("plan", "routed")).expect("a plan");
        let rows = sweep(&[job], NonZeroUsize::MIN, None, &mut |_| {}).expect("it runs");
        assert_eq!(rows[0].measures.number("bytes_delivered"), Some(1000.0));
        assert_eq!(method.inputs().len(), 4);
        assert!(written(&[("../../../forward.p4", "")]).is_err() && written(&[("/forward.p4", "")]).is_err());
    }

    #[test]
    fn values_that_make_no_plan_are_refused_with_what_is_wrong() {
        let method = method();
        let refusal = |point: &Record| method.job(point).err().unwrap_or_default();
        assert!(refusal(&point("incast", 2, 1)).contains("senders"), "{}", refusal(&point("incast", 2, 1)));
        assert!(refusal(&point("nothing", 3, 1).with("plan", "other")).contains("there is no plan for `other`"));
    }

    #[test]
    fn inputs_and_axes_of_a_method_are_listed() {
        let method = method();
        let names: Vec<String> = method.inputs().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["pair.toml", "pair.cm"]);
        assert_eq!(method.axes().iter().map(|axis| axis.name).collect::<Vec<_>>(), ["plan", "beside", "hosts"]);
    }
}
