//! `SetForwardingPipelineConfig` and `GetForwardingPipelineConfig` (P4Runtime specification 1.4, sections 14 and 15).

use std::sync::Arc;

use prost::Message;
use switchd::{NotReplaced, ReadyProgram, StateKept};
use tonic::Status;

use super::device::{Device, Saved, failed};
use super::target::{SavedSwitch, lock};
use super::view::ProgramView;
use crate::digests::DigestDelivery;
use crate::message::p4::config::v1::P4Info;
use crate::message::p4::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::message::p4::v1::set_forwarding_pipeline_config_request::Action;
use crate::message::p4::v1::{
    ForwardingPipelineConfig, GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse,
    SetForwardingPipelineConfigRequest,
};
use crate::p4info;
use crate::pipeline::DeviceConfig;

/// The most differences between two P4Infos that are told.
const MOST_DIFFERENCES: usize = 10;

impl Device {
    /// Carries out `SetForwardingPipelineConfig`. The program is compiled on the thread that asks, and takes the place of the
    /// running one between two packets.
    ///
    /// # Errors
    /// Fails with the status that the specification has; nothing has changed then.
    pub fn set_pipeline(&self, request: SetForwardingPipelineConfigRequest) -> Result<(), Status> {
        let _begun = self.sessions.begin_write(request.device_id, &request.role, request.election_id)?;
        if self.sessions.rights(&request.role).config.is_some_and(|config| !config.can_push_pipeline) {
            return Err(Status::permission_denied("the configuration of the role does not let it set the pipeline"));
        }
        let action = request.action();
        let config = request.config;
        match action {
            Action::Unspecified => {
                Err(Status::invalid_argument("the action is missing, or not one of the specification's"))
            }
            Action::Commit => match config {
                Some(_) => Err(Status::invalid_argument("COMMIT takes the configuration that was saved, and no other")),
                None => self.commit_saved(),
            },
            action => {
                let config = config.ok_or_else(|| Status::invalid_argument("the configuration is missing"))?;
                let (ready, view) = self.realize(config)?;
                match action {
                    Action::Verify => Ok(()),
                    Action::VerifyAndSave => {
                        let switch = SavedSwitch { ready, digests: DigestDelivery::default() };
                        *lock(&self.saved) = Some(Saved { view, switch });
                        Ok(())
                    }
                    Action::VerifyAndCommit => self.commit(ready, view, DigestDelivery::default()),
                    _ => self.reconcile(ready, view),
                }
            }
        }
    }

    /// Compiles the program of a configuration, and builds a device of it.
    fn realize(&self, config: ForwardingPipelineConfig) -> Result<(ReadyProgram, Arc<ProgramView>), Status> {
        let program = if config.p4_device_config.is_empty() {
            self.own_program(&config)?
        } else {
            DeviceConfig::read(&config.p4_device_config).and_then(|own| own.load()).map_err(failed)?
        };
        let does_not_fit = |failure: diagnostics::Failure| {
            Status::invalid_argument(format!("the program cannot run here: {}", failure.render(false)))
        };
        let ready = self.handle.prepare(program).map_err(does_not_fit)?;
        let own = p4info::of(ready.info());
        match &config.p4info {
            Some(given) => check_p4info(&own, given)?,
            None => return Err(Status::invalid_argument("the configuration has no P4Info")),
        }
        let running = self.running();
        let view = Arc::new(ProgramView::new(ready.info(), config, running.as_deref()));
        Ok((ready, view))
    }

    /// Returns the program that the device has, for a controller that knows only its P4Info, as those of devices with fixed
    /// functions do (section 3.3.2).
    fn own_program(&self, config: &ForwardingPipelineConfig) -> Result<workbench::LoadedProgram, Status> {
        let has_p4info = config.p4info.as_ref().is_some_and(|given| *given != P4Info::default());
        let running = self.handle.program();
        if !has_p4info || running.is_awaited {
            return Err(Status::invalid_argument("the configuration has no `p4_device_config`, which is the program"));
        }
        Ok((*running.program).clone())
    }

    fn commit_saved(&self) -> Result<(), Status> {
        let saved = lock(&self.saved).take();
        let Some(Saved { view, switch }) = saved else {
            return Err(Status::not_found("no configuration has been saved by VERIFY_AND_SAVE"));
        };
        self.commit(switch.ready, view, switch.digests)
    }

    /// Puts a program with the state that its device has into the place of the running one.
    fn commit(&self, ready: ReadyProgram, view: Arc<ProgramView>, digests: DigestDelivery) -> Result<(), Status> {
        let mut saved = lock(&self.saved);
        self.handle.replace(ready, StateKept::Nothing).map_err(not_replaced)?;
        *saved = None;
        self.set_running(view);
        *lock(&self.digests) = digests;
        Ok(())
    }

    /// Puts a program into the place of the running one, with all of its state.
    fn reconcile(&self, ready: ReadyProgram, view: Arc<ProgramView>) -> Result<(), Status> {
        let mut saved = lock(&self.saved);
        let before = self.running();
        let kept = if before.is_some() { StateKept::Everything } else { StateKept::Nothing };
        let digests = match before {
            Some(before) => lock(&self.digests).handed_over(before.info(), view.info()),
            None => DigestDelivery::default(),
        };
        self.handle.replace(ready, kept).map_err(not_replaced)?;
        *saved = None;
        self.set_running(view);
        *lock(&self.digests) = digests;
        Ok(())
    }

    /// Carries out `GetForwardingPipelineConfig`.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn get_pipeline(
        &self,
        request: &GetForwardingPipelineConfigRequest,
    ) -> Result<GetForwardingPipelineConfigResponse, Status> {
        self.sessions.check_device(request.device_id)?;
        let parts = ResponseType::try_from(request.response_type)
            .map_err(|_| Status::invalid_argument("the response type is not one of the specification's"))?;
        let saved = lock(&self.saved).as_ref().map(|saved| Arc::clone(&saved.view));
        let Some(view) = saved.or_else(|| self.running()) else {
            return Ok(GetForwardingPipelineConfigResponse { config: None });
        };
        let ForwardingPipelineConfig { p4info, p4_device_config, cookie } = &view.config;
        let (has_p4info, has_program) = match parts {
            ResponseType::All => (true, true),
            ResponseType::CookieOnly => (false, false),
            ResponseType::P4infoAndCookie => (true, false),
            ResponseType::DeviceConfigAndCookie => (false, true),
        };
        let config = ForwardingPipelineConfig {
            p4info: p4info.as_ref().filter(|_| has_p4info).cloned(),
            p4_device_config: if has_program { p4_device_config.clone() } else { Vec::new() },
            cookie: cookie.clone(),
        };
        Ok(GetForwardingPipelineConfigResponse { config: Some(config) })
    }
}

/// Checks that a controller's P4Info describes the program.
fn check_p4info(own: &P4Info, given: &P4Info) -> Result<(), Status> {
    if own.encoded_len() == given.encoded_len() && own == given {
        return Ok(());
    }
    let differences = p4info::differences(given, own);
    if differences.is_empty() {
        return Ok(());
    }
    let mut text = String::from("the P4Info does not describe the program:");
    for difference in differences.iter().take(MOST_DIFFERENCES) {
        text.push_str("\n- ");
        text.push_str(difference);
    }
    if differences.len() > MOST_DIFFERENCES {
        text.push_str(&format!("\nand {} more", differences.len() - MOST_DIFFERENCES));
    }
    text.push_str("\n`polyplane compile PROGRAM.p4 --p4info` prints the one that does");
    Err(Status::invalid_argument(text))
}

fn not_replaced(why: NotReplaced) -> Status {
    match why {
        NotReplaced::Ended => Status::unavailable("the switch has ended"),
        NotReplaced::Refused(refusal) => Status::failed_precondition(refusal.reason()),
        NotReplaced::WouldLose(findings) => {
            let lost: Vec<String> = findings.iter().map(ToString::to_string).collect();
            let lost = lost.join("\n- ");
            Status::invalid_argument(format!("the state cannot be kept, so that nothing was changed:\n- {lost}"))
        }
    }
}
