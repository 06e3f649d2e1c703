#include "sampling/recorder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "process/timeline.h"
#include "support/error.h"

namespace profile {
namespace {

// Rows of the histogram fetched with one system call.
constexpr std::uint32_t batch_rows = 2048;
// Collisions in one generation after which a fresh one is worth its drain: every sixteenth of the stack map.
constexpr std::uint64_t collision_share = 16;

std::string_view comm_of(const char (&comm)[PROFILE_COMM_BYTES]) { return {comm, ::strnlen(comm, sizeof comm)}; }

// Up to the first zero, which is where the kernel ends a stack and where a frame-pointer chain has left the rails.
std::span<const std::uint64_t> without_zeros(std::span<const std::uint64_t> frames) {
  const auto end = std::find(frames.begin(), frames.end(), 0U);
  return frames.first(static_cast<std::size_t>(end - frames.begin()));
}

// The stacks of one generation's stack map: read once for each address space they occur in, deleted at the end.
class StackReader {
 public:
  StackReader(int map_fd, std::uint32_t max_depth) : map_fd_(map_fd), buffer_(max_depth) {}

  StackId read(Profile& profile, ProcessId space, FrameKind kind, std::int32_t id) {
    if (id < 0) return id == -EFAULT ? StackId::none : StackId::missed;
    const auto [found, is_new] =
        seen_.try_emplace(std::uint64_t{static_cast<std::uint32_t>(space)} << 32 | static_cast<std::uint32_t>(id));
    if (is_new) {
      found->second = StackId::missed;
      if (bpf_map_lookup_elem(map_fd_, &id, buffer_.data()) == 0) {
        found->second = profile.stack_of(space, kind, without_zeros(buffer_));
      }
    }
    return found->second;
  }

  void clear() const {
    for (const auto& [key, stack] : seen_) {
      const auto id = static_cast<std::uint32_t>(key);
      bpf_map_delete_elem(map_fd_, &id);
    }
  }

 private:
  int map_fd_;
  std::vector<std::uint64_t> buffer_;
  std::unordered_map<std::uint64_t, StackId> seen_;  // key: space << 32 | id
};

ProcessId process_of(ProcessTimeline& timeline, Profile& profile, std::uint32_t tgid, std::uint64_t time_ns,
                     std::string_view comm) {
  const std::uint32_t image = timeline.image_at(tgid, time_ns);
  const std::string_view name = timeline.name_of(tgid, image);
  return profile.process(tgid, image, name.empty() ? comm : name);
}

}  // namespace

SharedArray::SharedArray(int map_fd, std::size_t bytes) : data_(nullptr), bytes_(bytes) {
  data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (data_ == MAP_FAILED) throw system_error("cannot map a BPF map", errno);
}

SharedArray::~SharedArray() { ::munmap(data_, bytes_); }

Recorder::Recorder(bpf_object& object, const SamplingOptions& options)
    : cpus_(static_cast<std::uint32_t>(possible_cpu_count())),
      max_depth_(options.max_stack_depth),
      stack_entries_(options.stack_entries),
      state_memory_(bpf_map__fd(&bpf_map_named(object, ".data.record")), sizeof(record_state)),
      state_(static_cast<record_state*>(state_memory_.data())),
      account_memory_(bpf_map__fd(&bpf_map_named(object, "accounts")),
                      std::size_t{PROFILE_GENERATIONS} * cpus_ * sizeof(cpu_account)),
      accounts_(static_cast<cpu_account*>(account_memory_.data())) {
  histogram_fds_ = {bpf_map__fd(&bpf_map_named(object, "histogram_0")),
                    bpf_map__fd(&bpf_map_named(object, "histogram_1"))};
  stack_fds_ = {bpf_map__fd(&bpf_map_named(object, "stacks_0")), bpf_map__fd(&bpf_map_named(object, "stacks_1"))};
  ring_bytes_ = bpf_map__max_entries(&bpf_map_named(object, "ring"));
  ring_ = RingBuffer(ring_buffer__new(bpf_map__fd(&bpf_map_named(object, "ring")), on_record, this, nullptr));
  if (!ring_) throw system_error("cannot open the BPF ring buffer", errno);
}

int Recorder::poll_fd() const { return ring_buffer__epoll_fd(ring_.get()); }

// Only copies: the timeline may not have heard yet of a process whose sample is here, so samples wait for its update.
int Recorder::on_record(void* context, void* data, std::size_t size) noexcept {
  auto& self = *static_cast<Recorder*>(context);
  ring_header header{};
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  if (header.type == RING_HALF_FULL) {
    if (header.generation == (self.state_->generation & 1)) self.half_full_ = true;
    return 0;
  }
  try {
    const std::size_t words = size / sizeof(std::uint64_t);
    const std::size_t at = self.inbox_.size();
    self.inbox_.resize(at + 1 + words);
    self.inbox_[at] = words;
    std::memcpy(&self.inbox_[at + 1], data, words * sizeof(std::uint64_t));
  } catch (...) {
    self.out_of_memory_ = true;
  }
  self.unread_budget_bytes_ -= static_cast<std::int64_t>(size);
  return self.unread_budget_bytes_ > 0 ? 0 : -ENOBUFS;
}

// Reads no more than the ring can hold: everything that was there when the call began, but not for ever when samples
// come faster than they are read.
void Recorder::read_ring() {
  unread_budget_bytes_ = ring_bytes_;
  const int result = ring_buffer__consume(ring_.get());
  if (out_of_memory_) throw std::bad_alloc();
  if (result < 0 && result != -ENOBUFS) throw system_error("cannot read the BPF ring buffer", -result);
}

void Recorder::consume(ProcessTimeline& timeline, Profile& into) {
  read_ring();
  if (inbox_.empty()) return;
  timeline.update();
  count_inbox(state_->generation & 1, timeline, into);
}

// Counts the samples of `generation`; those of the other one stay, for the profile after this one.
void Recorder::count_inbox(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < inbox_.size();) {
    const std::size_t words = inbox_[at] + 1;
    const auto& sample = *reinterpret_cast<const ring_sample*>(&inbox_[at + 1]);
    if (sample.header.generation == generation) {
      count_whole_sample(sample, timeline, into);
      ++counted_from_ring_[generation];
    } else {
      std::copy_n(inbox_.begin() + static_cast<std::ptrdiff_t>(at), words,
                  inbox_.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += words;
    }
    at += words;
  }
  inbox_.resize(kept);
}

void Recorder::count_whole_sample(const ring_sample& sample, ProcessTimeline& timeline, Profile& into) {
  const std::string_view comm = comm_of(sample.comm);
  Row row;
  row.process = process_of(timeline, into, sample.tgid, sample.time_ns, comm);
  row.tid = sample.tid;
  row.thread_name = into.strings.intern(comm);
  const auto* frames = reinterpret_cast<const std::uint64_t*>(&sample + 1);
  const auto stack = [&](std::int32_t bytes, ProcessId space, FrameKind kind) {
    if (bytes < 0) return bytes == -EFAULT ? StackId::none : StackId::missed;
    const std::span<const std::uint64_t> addresses(frames, static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
    frames += addresses.size();
    return into.stack_of(space, kind, without_zeros(addresses));
  };
  row.user = stack(sample.user_bytes, row.process, FrameKind::user);
  row.kernel = stack(sample.kernel_bytes, ProcessId::kernel, FrameKind::kernel);
  row.value = sample.value;
  into.add(row);
}

bool Recorder::wants_drain() const {
  return half_full_ || counted_from_ring_[state_->generation & 1] > stack_entries_ / collision_share;
}

void Recorder::drain(ProcessTimeline& timeline, Profile& into, bool stopped) {
  const std::uint32_t generation = state_->generation & 1;
  if (!stopped) {
    std::atomic_ref(state_->generation).store(generation ^ 1, std::memory_order_seq_cst);
    barrier_.wait();
  }
  half_full_ = false;
  read_ring();
  timeline.update();
  count_inbox(generation, timeline, into);

  Account account = account_of(generation);
  const std::uint64_t read = drain_maps(generation, timeline, into) + counted_from_ring_[generation];
  account.lost_unread = account.recorded - std::min(account.recorded, read);
  account.recorded -= account.lost_unread;
  into.account += account;

  std::memset(accounts_ + std::size_t{generation} * cpus_, 0, cpus_ * sizeof(cpu_account));
  state_->entries[generation] = 0;
  state_->told[generation] = 0;
  counted_from_ring_[generation] = 0;
}

// Empties the histogram and the stack map of `generation`; returns the number of samples its rows stood for.
std::uint64_t Recorder::drain_maps(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  std::vector<stack_key> keys(batch_rows);
  std::vector<stack_value> values(batch_rows);
  StackReader stacks(stack_fds_[generation], max_depth_);
  std::uint64_t samples = 0;
  std::uint32_t cursor = 0;
  for (bool first = true, last = false; !last; first = false) {
    __u32 count = static_cast<__u32>(keys.size());
    const int error = -bpf_map_lookup_and_delete_batch(histogram_fds_[generation], first ? nullptr : &cursor, &cursor,
                                                       keys.data(), values.data(), &count, nullptr);
    if (error == ENOSPC) {  // one bucket holds more rows than that
      keys.resize(keys.size() * 2);
      values.resize(keys.size());
      continue;
    }
    if (error != 0 && error != ENOENT) throw system_error("cannot drain the histogram", error);
    last = error == ENOENT;
    for (__u32 i = 0; i < count; ++i) {
      const std::string_view comm = comm_of(keys[i].comm);
      Row row;
      row.process = process_of(timeline, into, keys[i].tgid, values[i].first_ns, comm);
      row.tid = keys[i].tid;
      row.thread_name = into.strings.intern(comm);
      row.user = stacks.read(into, row.process, FrameKind::user, keys[i].user_stack);
      row.kernel = stacks.read(into, ProcessId::kernel, FrameKind::kernel, keys[i].kernel_stack);
      row.value = values[i].value;
      into.add(row);
      samples += values[i].value;
    }
  }
  stacks.clear();
  return samples;
}

Account Recorder::account_of(std::uint32_t generation) const {
  Account account;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    cpu_account& counters = accounts_[generation * cpus_ + cpu];
    const auto slot = [&](account_slot which) {
      return std::atomic_ref(counters.slot[which]).load(std::memory_order_relaxed);
    };
    account.taken += slot(ACCOUNT_TAKEN);
    account.recorded += slot(ACCOUNT_IN_MAP) + slot(ACCOUNT_IN_RING);
    account.recorded_by_ring += slot(ACCOUNT_IN_RING);
    account.idle += slot(ACCOUNT_IDLE);
    account.filtered += slot(ACCOUNT_FILTERED);
    account.lost_ring_full += slot(ACCOUNT_LOST_RING_FULL);
  }
  return account;
}

Account Recorder::pending_account() const { return account_of(state_->generation & 1); }

std::uint64_t Recorder::pending_rows() const {
  return std::atomic_ref(state_->entries[state_->generation & 1]).load(std::memory_order_relaxed);
}

std::uint64_t Recorder::unfollowed() const {
  return std::atomic_ref(state_->unfollowed).load(std::memory_order_relaxed);
}

}  // namespace profile
