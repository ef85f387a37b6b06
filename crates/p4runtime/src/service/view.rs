//! A program as controllers see it.

use std::sync::Arc;

use control::Info;

use crate::message::p4::config::v1::P4Info;
use crate::message::p4::v1::ForwardingPipelineConfig;
use crate::packets::PacketHeaders;
use crate::translate::Translator;

/// A program as controllers see it.
pub struct ProgramView {
    /// What messages mean to the program.
    pub translator: Translator,
    /// The headers of packets to and from controllers.
    pub headers: PacketHeaders,
    /// The configuration, as it is returned to controllers.
    pub config: ForwardingPipelineConfig,
}

impl ProgramView {
    /// Returns the view of a program. Strings that controllers use for values keep the values that they had in `before`.
    pub fn new(info: &Arc<Info>, config: ForwardingPipelineConfig, before: Option<&Self>) -> Self {
        let translator = Translator::new(Arc::clone(info), before.map(|before| &before.translator));
        Self { headers: PacketHeaders::new(info, translator.types()), translator, config }
    }

    /// Returns the view of a program that no controller has brought.
    pub fn of_switch(info: &Arc<Info>, p4info: P4Info, before: Option<&Self>) -> Self {
        let config = ForwardingPipelineConfig { p4info: Some(p4info), ..ForwardingPipelineConfig::default() };
        Self::new(info, config, before)
    }

    /// Returns what the control plane knows about the program.
    pub fn info(&self) -> &Arc<Info> {
        self.translator.info()
    }
}
