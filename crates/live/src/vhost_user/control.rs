//! The messages of the front end: what is said about the guest's memory and queues (QEMU, docs/interop/vhost-user.rst).

use std::fs::File;
use std::sync::Arc;

use vhost::vhost_user::message::{
    VhostTransferStateDirection, VhostTransferStatePhase, VhostUserConfigFlags, VhostUserInflight, VhostUserLog,
    VhostUserMemoryRegion, VhostUserProtocolFeatures, VhostUserShMemConfig, VhostUserSharedMsg,
    VhostUserSingleMemoryRegion, VhostUserVringAddrFlags, VhostUserVringState,
};
use vhost::vhost_user::{Error, GpuBackend, Result, VhostUserBackendReqHandler};
use vm_memory::{GuestAddress, GuestMemoryMmap, GuestRegionMmap};

use super::device::{Device, Memory, QUEUES, Queue, Region};
use super::features::{Features, OFFERED};
use super::ring::Broken;
use super::{Shared, kicks};

/// The most parts of a guest's memory: as many as descriptors fit into a message.
const MOST_REGIONS: u64 = 32;

/// The memory of [`Device::set_memory`] is mapped and unmapped while nobody holds the device, for both may take long.
pub struct Handler(pub Arc<Shared>);

impl From<Broken> for Error {
    fn from(Broken: Broken) -> Self {
        Self::InvalidParam
    }
}

const NOT_OFFERED: Result<()> = Err(Error::InvalidOperation("a feature that was not offered"));

impl Handler {
    /// Changes the device, starts the queues of which everything is known now, and tells the driver if its link changes.
    fn change<R>(&self, change: impl FnOnce(&mut Device) -> Result<R>) -> Result<R> {
        let mut device = self.0.lock();
        let changed = change(&mut device);
        let started = device.start();
        self.0.tell_of_link(&mut device);
        started?;
        changed
    }

    fn change_queue<R>(&self, index: u32, change: impl FnOnce(&mut Queue) -> R) -> Result<R> {
        let index = position(index)?;
        self.change(|device| Ok(change(&mut device.queues[index])))
    }

    /// Gives the device a memory of parts.
    fn set_memory(&self, guest: GuestMemoryMmap, regions: Vec<Region>) -> Result<()> {
        let old = self.change(|device| Ok(device.set_memory(Memory { guest, regions })?))?;
        drop(old);
        Ok(())
    }

    /// Stops all queues, as before the first message about them.
    fn reset(&self) -> Result<()> {
        self.0.reset();
        Ok(())
    }
}

/// Returns the position of a queue that exists.
fn position(index: u32) -> Result<usize> {
    usize::try_from(index).ok().filter(|index| *index < QUEUES).ok_or(Error::InvalidParam)
}

/// Maps a part of the guest's memory.
fn map(region: &VhostUserMemoryRegion, file: File) -> Result<(GuestRegionMmap, Region)> {
    let (user, guest, length) = (region.user_addr, region.guest_phys_addr, region.memory_size);
    // Whoever reads behind the end of a file is killed by SIGBUS (mmap(2)).
    let end = region.mmap_offset.checked_add(length).ok_or(Error::InvalidParam)?;
    if file.metadata().map_err(Error::ReqHandlerError)?.len() < end {
        return Err(Error::InvalidParam);
    }
    let mapped = region.mmap_region(file)?;
    let part = GuestRegionMmap::new(mapped, GuestAddress(guest)).ok_or(Error::InvalidParam)?;
    Ok((part, Region { user, guest, length }))
}

fn refused<E: std::error::Error + Send + Sync + 'static>(error: E) -> Error {
    Error::ReqHandlerError(std::io::Error::other(error))
}

impl VhostUserBackendReqHandler for Handler {
    fn set_owner(&self) -> Result<()> {
        Ok(())
    }

    fn reset_owner(&self) -> Result<()> {
        self.reset()
    }

    fn reset_device(&self) -> Result<()> {
        self.reset()
    }

    fn get_features(&self) -> Result<u64> {
        Ok(OFFERED)
    }

    fn set_features(&self, features: u64) -> Result<()> {
        if features & !OFFERED != 0 {
            return NOT_OFFERED;
        }
        self.change(|device| {
            // Rings that run go by what was agreed when they began.
            (0..QUEUES).for_each(|queue| device.pause(queue));
            device.features = Features(features);
            if !device.features.has_protocol_features() {
                // Without messages that enable them, queues are enabled from the beginning.
                device.queues.iter_mut().for_each(|queue| queue.is_enabled = true);
            }
            self.0.set_offload(device.features.offload());
            Ok(())
        })
    }

    fn set_mem_table(
        &self,
        regions: &[VhostUserMemoryRegion],
        files: Vec<File>,
        _postcopy: Option<bool>,
    ) -> Result<Option<Vec<vhost::VhostUserMemoryRegionBase>>> {
        let mapped = regions.iter().zip(files).map(|(region, file)| map(region, file));
        let (parts, regions): (Vec<_>, Vec<_>) = mapped.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        self.set_memory(GuestMemoryMmap::from_regions(parts).map_err(refused)?, regions)?;
        Ok(None)
    }

    fn set_vring_num(&self, index: u32, size: u32) -> Result<()> {
        self.change_queue(index, |queue| queue.size = size)
    }

    fn set_vring_addr(
        &self,
        index: u32,
        _flags: VhostUserVringAddrFlags,
        descriptors: u64,
        used: u64,
        available: u64,
        _log: u64,
    ) -> Result<()> {
        let index = position(index)?;
        self.change(|device| {
            device.pause(index);
            device.queues[index].addresses = Some([descriptors, available, used]);
            Ok(())
        })
    }

    fn set_vring_base(&self, index: u32, base: u32) -> Result<()> {
        let index = position(index)?;
        let base = u16::try_from(base).map_err(|_| Error::InvalidParam)?;
        self.change(|device| {
            device.pause(index);
            device.queues[index].base = base;
            Ok(())
        })
    }

    fn get_vring_base(&self, index: u32) -> Result<VhostUserVringState> {
        let position = position(index)?;
        // The front end stops a queue by this question.
        let base = self.change(|device| {
            device.pause(position);
            let queue = &mut device.queues[position];
            queue.is_started = false;
            if let Some(kick) = queue.kick.take() {
                self.0.kicks[position].unwatch(&kick);
            }
            queue.call = None;
            Ok(queue.base)
        })?;
        Ok(VhostUserVringState::new(index, base.into()))
    }

    fn set_vring_kick(&self, index: u8, descriptor: Option<File>) -> Result<()> {
        let index = position(index.into())?;
        let polls = "a queue without kicks: the switch sleeps until something happens";
        let kick = descriptor.ok_or(Error::InvalidOperation(polls))?;
        kicks::accept(&kick).map_err(Error::ReqHandlerError)?;
        self.change(|device| {
            let queue = &mut device.queues[index];
            if let Some(old) = queue.kick.take() {
                self.0.kicks[index].unwatch(&old);
            }
            self.0.kicks[index].watch(&kick).map_err(Error::ReqHandlerError)?;
            queue.kick = Some(kick);
            queue.is_started = true;
            Ok(())
        })
    }

    fn set_vring_call(&self, index: u8, descriptor: Option<File>) -> Result<()> {
        let index = position(index.into())?;
        if let Some(call) = &descriptor {
            kicks::accept(call).map_err(Error::ReqHandlerError)?;
        }
        self.change(|device| {
            device.set_call(index, descriptor);
            Ok(())
        })
    }

    fn set_vring_err(&self, index: u8, _descriptor: Option<File>) -> Result<()> {
        position(index.into()).map(|_| ())
    }

    fn get_protocol_features(&self) -> Result<VhostUserProtocolFeatures> {
        Ok(VhostUserProtocolFeatures::MQ
            | VhostUserProtocolFeatures::REPLY_ACK
            | VhostUserProtocolFeatures::RESET_DEVICE
            | VhostUserProtocolFeatures::CONFIGURE_MEM_SLOTS)
    }

    fn set_protocol_features(&self, features: u64) -> Result<()> {
        if features & !self.get_protocol_features()?.bits() == 0 { Ok(()) } else { NOT_OFFERED }
    }

    fn get_queue_num(&self) -> Result<u64> {
        // For network devices, pairs of queues are counted.
        Ok(1)
    }

    fn set_vring_enable(&self, index: u32, enable: bool) -> Result<()> {
        self.change_queue(index, |queue| queue.is_enabled = enable)
    }

    fn get_config(&self, _offset: u32, _size: u32, _flags: VhostUserConfigFlags) -> Result<Vec<u8>> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::CONFIG))
    }

    fn set_config(&self, _offset: u32, _bytes: &[u8], _flags: VhostUserConfigFlags) -> Result<()> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::CONFIG))
    }

    fn set_gpu_socket(&self, _backend: GpuBackend) -> Result<()> {
        Err(Error::InvalidOperation("this is no graphics card"))
    }

    fn get_shared_object(&self, _object: VhostUserSharedMsg) -> Result<File> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::SHARED_OBJECT))
    }

    fn get_inflight_fd(&self, _inflight: &VhostUserInflight) -> Result<(VhostUserInflight, File)> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::INFLIGHT_SHMFD))
    }

    fn set_inflight_fd(&self, _inflight: &VhostUserInflight, _file: File) -> Result<()> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::INFLIGHT_SHMFD))
    }

    fn get_max_mem_slots(&self) -> Result<u64> {
        Ok(MOST_REGIONS)
    }

    fn add_mem_region(
        &self,
        region: &VhostUserSingleMemoryRegion,
        file: File,
        _postcopy: Option<bool>,
    ) -> Result<Option<vhost::VhostUserMemoryRegionBase>> {
        let (part, region) = map(region, file)?;
        let (guest, mut regions) = {
            let device = self.0.lock();
            let memory = device.memory();
            if memory.regions.len() as u64 >= MOST_REGIONS {
                return Err(Error::InvalidParam);
            }
            (memory.guest.insert_region(Arc::new(part)).map_err(refused)?, memory.regions.clone())
        };
        regions.push(region);
        self.set_memory(guest, regions)?;
        Ok(None)
    }

    fn remove_mem_region(&self, region: &VhostUserSingleMemoryRegion) -> Result<()> {
        let (guest, mut regions) = {
            let device = self.0.lock();
            let memory = device.memory();
            let address = GuestAddress(region.guest_phys_addr);
            let (guest, _) = memory.guest.remove_region(address, region.memory_size).map_err(refused)?;
            (guest, memory.regions.clone())
        };
        regions.retain(|other| other.guest != region.guest_phys_addr);
        self.set_memory(guest, regions)
    }

    fn set_device_state_fd(
        &self,
        _direction: VhostTransferStateDirection,
        _phase: VhostTransferStatePhase,
        _file: File,
    ) -> Result<Option<File>> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::DEVICE_STATE))
    }

    fn check_device_state(&self) -> Result<()> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::DEVICE_STATE))
    }

    fn get_shmem_config(&self) -> Result<VhostUserShMemConfig> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::SHMEM))
    }

    fn set_log_base(&self, _log: &VhostUserLog, _file: File) -> Result<()> {
        Err(Error::InactiveOperation(VhostUserProtocolFeatures::LOG_SHMFD))
    }
}
