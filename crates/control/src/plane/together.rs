//! Requests that are carried out together: all of them, or none.

use super::undo::Undo;
use super::{Device, Plane};
use crate::{RefusedRequest, Request, Response};

impl Plane {
    /// Executes requests in order, as [`Plane::execute`] does. If one is refused, none of them has changed anything:
    /// entries keep their handles and their order, counters and meters what they have counted. Each request costs a copy
    /// of what it changes: that is one entry, member, group or element, or all of something if it writes all.
    ///
    /// # Panics
    /// Panics if a number in a request does not exist in the program.
    ///
    /// # Errors
    /// Returns the first request that is refused, with the reason.
    pub fn execute_together(
        &self,
        requests: &[Request],
        device: &mut Device<'_>,
    ) -> Result<Vec<Response>, RefusedRequest> {
        // A request that is refused changes nothing, so one alone never has to be undone.
        if let [request] = requests {
            return match self.execute(request, device) {
                Ok(response) => Ok(vec![response]),
                Err(error) => Err(RefusedRequest { at: 0, error }),
            };
        }
        let mut log = Vec::with_capacity(requests.len());
        let mut responses = Vec::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            let undo = (!request.is_read()).then(|| Undo::of(self, request, device));
            match self.execute(request, device) {
                Ok(response) => responses.push(response),
                Err(error) => {
                    log.into_iter().rev().for_each(|undo: Undo| undo.apply(self, device));
                    return Err(RefusedRequest { at, error });
                }
            }
            log.extend(undo);
        }
        Ok(responses)
    }
}
