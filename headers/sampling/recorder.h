// The user side of bpf/record.bpf.h: sizes and fills the maps before the programs are loaded, then drains them. The two
// generations, the ring buffer and the account are its business alone; a source only attaches and detaches.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/record.h"
#include "model/profile.h"
#include "sampling/source.h"
#include "sampling/stack_maps.h"
#include "support/bpf.h"
#include "support/clock.h"

namespace profile {

class HeldSpans;
class TableSupply;
struct FinishedWalk;
class UnfinishedWalks;

// Whether `options` need the variant of a program that reads kernel structures (not PROFILE_LEAN).
[[nodiscard]] bool needs_kernel_types(const SamplingOptions& options);
// What follows from the source and not from the command line.
struct RecorderConfig {
  bool weighted = false;      // values are not always 1
  std::uint64_t rate_hz = 0;  // samples a second on each CPU; 0: not known
  bool filter_cpu = false;    // its programs run on every CPU, whatever they are attached to
  // What the profiler does itself is filtered: reading the samples would cause more of them than it reads.
  bool without_self = false;
};
// With maps no larger than samples at `rate_hz` on each of `cpus` fill in a while, unless the person has said how
// large: to make and to clear the largest costs more than a short run. 0: the rate is not known, and neither are the
// sizes.
[[nodiscard]] SamplingOptions sized_for_rate(SamplingOptions options, std::uint64_t rate_hz, int cpus);
// Between opening and loading: the sizes of the maps, the constants of the programs, and the pinned maps of filters in
// the place of ours. Throws Error for a filter that cannot be had.
void prepare_recording(bpf_object& object, const SamplingOptions& options, const RecorderConfig& recording = {});
// After loading: the filters' contents. Throws Error likewise.
void fill_filters(bpf_object& object, const SamplingOptions& options);
// Which processes are the profiler's: itself, and its children as they are now. Null: none.
void note_own_processes(record_state& state, const Children* children);

// Turns what the kernel side measured into what a Profile holds.
struct ValueConversion {
  // Values are divided by it: 1000 where the kernel counts nanoseconds and rows are in microseconds. What a division
  // leaves over goes to the next row, so that the total is right to the unit.
  std::uint64_t divisor = 1;
  // The text of stack_key::tag; nullptr where the source has none.
  std::function<std::string(std::uint32_t tag)> tag_text;
  // Where in a value of `spans` the key of whoever ends the span lies, which the histograms `woken` count by, too; 0:
  // it is not asked for.
  std::size_t waker_at = 0;
};

class Recorder {
 public:
  // `object` has been prepared with the same options and loaded; it must outlive the recorder. When it has a map
  // `spans`, its values begin with a struct span.
  Recorder(bpf_object& object, const SamplingOptions& options, ValueConversion reading = {});
  ~Recorder();

  // From now on each sample is handed over by itself, in the order of time, and none is added to a profile's rows; its
  // names and stacks are those of the profile that consume() or drain() got. Asked for with SamplingOptions::stream.
  using OnSample = std::function<void(const Sample&)>;
  void stream_to(OnSample on_sample) { on_sample_ = std::move(on_sample); }
  // Between the two, what the kernel side sees lies outside of the run and is counted nowhere. In force at once, for
  // sources that need time to be armed or to be stopped, and when user space has no time.
  void pause() { set_paused(true); }
  void resume() { set_paused(false); }
  // The end of what counts up to now: now, or when it was paused.
  [[nodiscard]] std::uint64_t counts_until_ns() const { return paused_ns_ != 0 ? paused_ns_ : monotonic_ns(); }
  // Samples of this program image of a process are filtered, for user space knows of images and the kernel side does
  // not. 0: of none.
  void leave_out(std::uint32_t tgid, std::uint32_t image) {
    left_out_tgid_ = tgid;
    left_out_image_ = image;
  }
  [[nodiscard]] std::uint32_t left_out_tgid() const { return left_out_tgid_; }
  // Called for each row that leave_out() keeps out of the profile, with its samples and its value in the kernel side's
  // unit: for sources that count besides.
  using OnLeftOut = std::function<void(const Row& row, std::uint64_t samples, std::uint64_t value)>;
  void set_on_left_out(OnLeftOut on_left_out) { on_left_out_ = std::move(on_left_out); }
  // Called every few milliseconds while samples are read, for what cannot wait until all are.
  void set_meanwhile(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }
  // A span that began before the kernel side could see it: its stacks, as addresses. It began at head.time_ns, which is
  // also its span::whole.
  void hold_span(std::uint64_t id, const ring_sample& head, std::span<const std::uint64_t> user_leaf_first,
                 std::span<const std::uint64_t> kernel_leaf_first);
  // The same when its user stack is walked by tables, once they are there: `begun`, but for its key and generation.
  void hold_span(std::uint64_t id, ring_sample head, std::unique_ptr<ring_unfinished> begun,
                 std::span<const std::uint64_t> kernel_leaf_first);

  // Readable when consume() has something to do.
  [[nodiscard]] int poll_fd() const;
  // Counts the samples that came through the ring buffer.
  void consume(ProcessTimeline& timeline, Profile& into);
  // Whether what the kernel side keeps has filled so far that it should be drained.
  [[nodiscard]] bool wants_drain() const;
  // Moves everything sampled so far into `into`, account included. `stopped` says that no sample is taken any more;
  // otherwise the kernel writes to the other generation from now on.
  void drain(ProcessTimeline& timeline, Profile& into, bool stopped);

  // What has not been drained yet, read without a system call: for the progress line.
  [[nodiscard]] Account pending_account() const;
  [[nodiscard]] std::uint64_t pending_rows() const;
  // Whether a file that was met waits for its table; then supply_tables() is to be called every few milliseconds.
  [[nodiscard]] bool wants_tables() const;
  void supply_tables(ProcessTimeline& timeline);

  // Descendants of the command that could not be followed because the map of targets was full.
  [[nodiscard]] std::uint64_t unfollowed() const;

 private:
  struct Ring {
    RingBuffer reader;
    std::int64_t size_bytes = 0;
  };
  void open_ring(const bpf_map& map, Ring& ring);
  static int on_record(void* context, void* data, std::size_t size) noexcept;
  void read_ring();
  // Who has ended the span of which the record is the end; null where it does not tell.
  [[nodiscard]] static const stack_key* waker_in(const std::uint64_t* record, std::size_t words);
  // `may_wait`: ends of spans whose stacks may still be finished stay where they are.
  void count_inbox(std::uint32_t generation, bool may_wait, ProcessTimeline& timeline, Profile& into);
  [[nodiscard]] bool waits_for_stack(const ring_span_end& end, const stack_key* waker) const;
  // `waker`: null where it is not known who ended it, here and below.
  void count_whole(const ring_sample& sample, std::uint64_t value, std::uint64_t time_ns, std::uint32_t cpu,
                   const stack_key* waker, ProcessTimeline& timeline, Profile& into);
  // What belongs to no profile: a stack that was sent ahead of its samples, a file that was met. False: it is a sample.
  bool take_aside(const std::uint64_t* record, std::size_t words);
  // `finished`: null when the sample counts with the frames that it has.
  void count_finished(const ring_unfinished& begun, const FinishedWalk* finished, ProcessTimeline& timeline,
                      Profile& into);
  // Of walks that lacked a table, those that can be finished now; end_walks: of a generation that has ended, all.
  void finish_walks(ProcessTimeline& timeline, Profile& into);
  void end_walks(std::uint32_t generation, bool is_sampling, ProcessTimeline& timeline, Profile& into);
  void count_span_end(const ring_span_end& end, const stack_key* waker, ProcessTimeline& timeline, Profile& into);
  void add_waker(Row& row, const stack_key& waker, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into);
  // All of a row but its stacks and values.
  [[nodiscard]] Row row_of(const stack_key& key, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const;
  void hand_over(Row& row, std::uint64_t value, std::uint64_t samples, std::uint64_t time_ns, std::uint32_t cpu,
                 Profile& into);
  std::uint64_t drain_histogram(std::uint32_t generation, ProcessTimeline& timeline, Profile& into);
  void clear_stacks(std::uint32_t generation);
  [[nodiscard]] Account account_of(std::uint32_t generation) const;

  void look_up();
  void set_paused(bool paused);

  ValueConversion reading_;
  const Children* children_;
  std::uint64_t paused_ns_ = 0;  // 0: it is not
  OnSample on_sample_;
  std::function<void()> meanwhile_;
  std::uint32_t read_since_look_ = 0;  // samples or rows
  std::uint32_t left_out_tgid_ = 0;
  std::uint32_t left_out_image_ = 0;
  std::uint64_t left_out_ = 0;  // samples since the last drain
  OnLeftOut on_left_out_;
  std::uint32_t cpus_;
  std::uint32_t stack_entries_;
  bool by_cpu_;
  std::array<int, PROFILE_GENERATIONS> histogram_fds_{};  // owned by the object
  std::array<int, PROFILE_GENERATIONS> woken_fds_{};      // likewise; of no meaning without ValueConversion::waker_at
  int spans_fd_ = -1;                                     // owned by the object; -1: its samples do not last
  std::size_t span_key_bytes_ = 0;
  std::size_t span_bytes_ = 0;
  SharedArray state_memory_;
  record_state* state_;
  SharedArray account_memory_;
  cpu_account* accounts_;  // [generation * cpus_ + cpu]
  StackMaps stacks_;
  std::unique_ptr<TableSupply> tables_;          // null: user stacks are not walked by tables
  std::unique_ptr<UnfinishedWalks> unfinished_;  // null: samples whose table is missing are counted as they are
  Ring ring_;
  Ring unfinished_ring_;                  // its poll_fd is watched by that of the other
  std::int64_t unread_budget_bytes_ = 0;  // of the read_ring() under way
  ProgramBarrier barrier_;
  // Ring records as they came, each in whole words, until the timeline has caught up with them.
  std::vector<std::uint64_t> inbox_;
  std::array<std::uint64_t, PROFILE_GENERATIONS> counted_from_ring_{};  // since the generation's last drain
  std::unique_ptr<HeldSpans> held_spans_;
  std::uint64_t left_over_ = 0;  // of the last division by ValueConversion::divisor
  UnixClock unix_clock_;
  std::uint64_t own_hashes_ = 0;  // given to stacks that the kernel side has not walked
  std::uint64_t collided_ = 0;    // records with whole stacks since the last drain
  bool half_full_ = false;
  bool out_of_memory_ = false;
};

}  // namespace profile
