//! NewReno (RFC 5681, RFC 6582): the window grows by a segment a round trip and is halved.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::control::{CongestionAlgorithm, CongestionControl};

/// NewReno, the defaults of [`CongestionControl`].
#[derive(Debug)]
pub struct NewReno;

#[derive(Debug)]
struct Control;

impl CongestionAlgorithm for NewReno {
    fn name(&self) -> &'static str {
        "newreno"
    }

    fn control(&self) -> Box<dyn CongestionControl> {
        Box::new(Control)
    }
}

impl CongestionControl for Control {}

/// It has no state: the window is all there is.
impl Snapshot for Control {
    fn save(&self, _: &mut Saver) -> Result<(), Unfit> {
        Ok(())
    }

    fn restore(&mut self, _: &mut Loader<'_>) -> Result<(), Unfit> {
        Ok(())
    }
}
