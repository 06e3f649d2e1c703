// The user side of bpf/record.bpf.h: sizes and fills the maps before the programs are loaded, then drains them. The two
// generations, the ring buffer and the account are its business alone; a source only attaches and detaches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/record.h"
#include "model/profile.h"
#include "sampling/source.h"
#include "support/bpf.h"

namespace profile {

// Whether `options` need the variant of a program that reads kernel structures (not PROFILE_LEAN).
[[nodiscard]] bool needs_kernel_types(const SamplingOptions& options);
// Between opening and loading: the sizes of the maps, the constants of the programs, and the pinned maps of filters in
// the place of ours. Throws Error for a filter that cannot be had.
void prepare_recording(bpf_object& object, const SamplingOptions& options);
// After loading: the filters' contents. Throws Error likewise.
void fill_filters(bpf_object& object, const SamplingOptions& options);

// The values of an array map or a section of global variables, shared with the kernel.
class SharedArray {
 public:
  SharedArray(int map_fd, std::size_t bytes);
  ~SharedArray();
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

class Recorder {
 public:
  // `object` has been prepared with the same options and loaded; it must outlive the recorder.
  Recorder(bpf_object& object, const SamplingOptions& options);

  // Readable when consume() has something to do.
  [[nodiscard]] int poll_fd() const;
  // Counts the samples that came through the ring buffer.
  void consume(ProcessTimeline& timeline, Profile& into);
  // Whether the maps have filled so far that they should be drained.
  [[nodiscard]] bool wants_drain() const;
  // Moves everything sampled so far into `into`, account included. `stopped` says that no sample is taken any more;
  // otherwise the kernel writes to the other generation from now on.
  void drain(ProcessTimeline& timeline, Profile& into, bool stopped);

  // What has not been drained yet, read without a system call: for the progress line.
  [[nodiscard]] Account pending_account() const;
  [[nodiscard]] std::uint64_t pending_rows() const;
  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed() const;

 private:
  static int on_record(void* context, void* data, std::size_t size) noexcept;
  void read_ring();
  void count_inbox(std::uint32_t generation, ProcessTimeline& timeline, Profile& into);
  void count_whole_sample(const ring_sample& sample, ProcessTimeline& timeline, Profile& into);
  std::uint64_t drain_maps(std::uint32_t generation, ProcessTimeline& timeline, Profile& into);
  [[nodiscard]] Account account_of(std::uint32_t generation) const;

  std::uint32_t cpus_;
  std::uint32_t max_depth_;
  std::uint32_t stack_entries_;
  std::array<int, PROFILE_GENERATIONS> histogram_fds_{};  // owned by the object, as the next
  std::array<int, PROFILE_GENERATIONS> stack_fds_{};
  SharedArray state_memory_;
  record_state* state_;
  SharedArray account_memory_;
  cpu_account* accounts_;  // [generation * cpus_ + cpu]
  RingBuffer ring_;
  std::int64_t ring_bytes_ = 0;
  std::int64_t unread_budget_bytes_ = 0;  // of the read_ring() under way
  ProgramBarrier barrier_;
  // Ring records as they came, each in whole words, until the timeline has caught up with them.
  std::vector<std::uint64_t> inbox_;
  std::array<std::uint64_t, PROFILE_GENERATIONS> counted_from_ring_{};  // since the generation's last drain
  bool half_full_ = false;
  bool out_of_memory_ = false;
};

}  // namespace profile
