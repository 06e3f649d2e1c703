// The user side of bpf/record.bpf.h: it drains what the BPF programs keep into profiles. Each source owns one recorder;
// all other code goes through the source.
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
#include "sampling/generations.h"
#include "sampling/kernel_histograms.h"
#include "sampling/pending_spans.h"
#include "sampling/row_maker.h"
#include "sampling/sample_rings.h"
#include "sampling/script_names.h"
#include "sampling/source.h"
#include "sampling/stack_maps.h"

namespace profile {

class ScriptProgram;
class TableSupply;
struct FinishedWalk;
class UnfinishedWalks;

class Recorder {
 public:
  // `object` must be prepared with the same options and loaded; it must outlive the recorder.
  Recorder(bpf_object& object, const SamplingOptions& options, const ValueConversion& conversion = {});
  ~Recorder();

  // The BPF program shows no functions of scripts until `program` has taken its place, which must outlive the recorder.
  void begin_without_scripts(ScriptProgram& program);

  // The functions of the same names in Source say what these do.
  void hand_to(RowMaker::OnSample on_sample) { rows_.hand_to(std::move(on_sample)); }
  [[nodiscard]] std::uint64_t complete_until_ns() const;
  void set_meanwhile(std::function<void()> meanwhile) { rows_.set_meanwhile(std::move(meanwhile)); }
  void leave_out(std::uint32_t tgid, std::uint32_t image) { rows_.leave_out(tgid, image); }
  [[nodiscard]] std::uint32_t left_out_tgid() const { return rows_.left_out_tgid(); }
  void pause() { generations_.set_paused(true); }
  void resume() { generations_.set_paused(false); }
  [[nodiscard]] int poll_fd() const { return rings_.poll_fd(); }
  void keep_up() { rings_.read_meanwhile(); }
  void consume(ProcessTimeline& timeline, Profile& into);
  [[nodiscard]] bool wants_drain() const;
  void drain(ProcessTimeline& timeline, Profile& into, bool stopped);
  [[nodiscard]] bool wants_tables() const;
  void supply_tables(ProcessTimeline& timeline);
  void expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid);
  [[nodiscard]] std::vector<std::string> notes() const;
  // The languages whose interpreters were on stacks, and those of the files whose tables were made.
  [[nodiscard]] std::vector<script_language> met_languages() const { return names_.met(); }
  [[nodiscard]] std::vector<script_language> known_languages() const;
  [[nodiscard]] Account pending_account() const { return generations_.account_of(generations_.current()); }
  [[nodiscard]] std::uint64_t pending_rows() const { return generations_.rows(); }
  [[nodiscard]] std::uint64_t unfollowed() const { return generations_.unfollowed(); }
  [[nodiscard]] std::uint64_t lost_with_full_maps() const { return lost_with_full_maps_; }

  // The end of the counted time so far (CLOCK_MONOTONIC): the time of the pause, otherwise now.
  [[nodiscard]] std::uint64_t counts_until_ns() const { return generations_.counts_until_ns(); }
  // `on_left_out` is called for each row that leave_out() keeps out of the profile, for sources with sums of their own.
  void set_on_left_out(RowMaker::OnLeftOut on_left_out) { rows_.set_on_left_out(std::move(on_left_out)); }
  // Adds a span that began before the BPF programs could see it, with its stacks as addresses. head.time_ns is when it
  // began, and also its span::sent_ns.
  void hold_span(std::uint64_t id, const ring_sample& head, std::span<const std::uint64_t> user_leaf_first,
                 std::span<const std::uint64_t> kernel_leaf_first) {
    spans_.hold(id, head, user_leaf_first, kernel_leaf_first);
  }
  // The same when user space walks its user stack by tables, once those are there. It fills in the key and the
  // generation of `begun`.
  void hold_span(std::uint64_t id, ring_sample head, std::unique_ptr<ring_unfinished> begun,
                 std::span<const std::uint64_t> kernel_leaf_first);

 private:
  // `may_wait`: the ends of spans whose stacks may still be finished stay in the inbox.
  void count_inbox(std::uint32_t generation, bool may_wait, ProcessTimeline& timeline, Profile& into);
  [[nodiscard]] bool waits_for_stack(const ring_span_end& end, const stack_key* waker) const;
  struct Counted {
    std::uint64_t value = 0;
    std::uint64_t samples = 0;  // 0: a part of a span that goes on
    std::uint64_t time_ns = 0;
    std::uint32_t cpu = 0;
  };
  // `waker`: the key of the thread that ended the span; null: not known.
  void count_whole(const ring_sample& sample, const Counted& counted, const stack_key* waker, ProcessTimeline& timeline,
                   Profile& into);
  void count_span_end(const ring_span_end& end, const stack_key* waker, ProcessTimeline& timeline, Profile& into);
  // Takes a record that is no sample: a stack sent ahead of its samples, a walk to finish, a file that a walk has met.
  // Returns false for all other records.
  bool take_aside(std::span<const std::uint64_t> record);
  // `finished`: null means that the sample counts with the frames that it has.
  void count_finished(const ring_unfinished& begun, const FinishedWalk* finished, ProcessTimeline& timeline,
                      Profile& into);
  // Returns the number of samples in the drained rows.
  std::uint64_t drain_histogram(std::uint32_t generation, ProcessTimeline& timeline, Profile& into);
  // Whether samples of that generation went through the ring because the maps had no room for them.
  [[nodiscard]] bool were_maps_full(std::uint32_t generation) const;
  void clear_stacks(std::uint32_t generation);

  std::uint32_t stack_entries_;
  std::uint32_t histogram_entries_;
  bool counts_samples_;  // the histogram has their number; otherwise each has the value 1
  Generations generations_;
  KernelHistograms histograms_;
  ScriptNames names_;
  StackMaps stacks_;
  RowMaker rows_;
  PendingSpans spans_;
  SampleRings rings_;
  std::unique_ptr<TableSupply> tables_;          // null: user stacks are not walked by tables
  std::unique_ptr<UnfinishedWalks> unfinished_;  // null: samples whose table is missing are counted as they are
  std::array<std::uint64_t, PROFILE_GENERATIONS> counted_from_ring_{};  // since the generation's last drain
  std::uint64_t waits_since_ns_ = UINT64_MAX;  // when the first sample was taken that waits in the inbox for its stack
  std::uint64_t own_hashes_ = 0;               // given so far to stacks that user space walks
  std::uint64_t lost_with_full_maps_ = 0;
  std::uint64_t collided_ = 0;  // records with whole stacks since the last drain
};

}  // namespace profile
