// Makes rows from the keys and values of the BPF programs: finds the process at that time, reads the stacks and
// converts the value. The row goes into a profile, and to whom wants each sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "abi/record.h"
#include "model/profile.h"
#include "model/sample.h"
#include "support/clock.h"

namespace profile {

class ProcessTimeline;
class StackMaps;

// A thread's name as the kernel keeps it: without a zero when it fills its place.
inline std::string_view comm_of(const char (&comm)[PROFILE_COMM_BYTES]) {
  return {comm, ::strnlen(comm, PROFILE_COMM_BYTES)};
}

// How the values of the BPF programs become those of a Profile.
struct ValueConversion {
  // Values are divided by it: 1000 if the kernel counts nanoseconds and rows are in microseconds. The remainder goes to
  // the next row, so that the total is exact.
  std::uint64_t divisor = 1;
  // Returns the text of a stack_key::tag; nullptr: the source has no tags.
  std::function<std::string(std::uint32_t tag)> tag_text;
  // Offset in a value of `spans` of the key of the thread that ends the span; 0: the user does not want it. The rows of
  // the histograms `woken` have that key too.
  std::size_t waker_at = 0;
};

class RowMaker {
 public:
  // `stacks` must outlive it. `by_cpu`: rows are kept apart by CPU. `rows`: as SamplingOptions::rows.
  RowMaker(ValueConversion conversion, bool by_cpu, bool rows, StackMaps& stacks)
      : conversion_(std::move(conversion)), by_cpu_(by_cpu), wants_rows_(rows), stacks_(stacks) {}

  using OnSample = std::function<void(const Sample&)>;
  void hand_to(OnSample on_sample) { on_sample_ = std::move(on_sample); }
  // Whether samples are handed over one by one.
  [[nodiscard]] bool hands_over() const { return on_sample_ != nullptr; }
  // `meanwhile` is called every few milliseconds while rows are made.
  void set_meanwhile(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }
  // As Source::leave_out().
  void leave_out(std::uint32_t tgid, std::uint32_t image) {
    left_out_tgid_ = tgid;
    left_out_image_ = image;
  }
  [[nodiscard]] std::uint32_t left_out_tgid() const { return left_out_tgid_; }
  // `value` is in the unit of the BPF program.
  using OnLeftOut = std::function<void(const Row& row, std::uint64_t samples, std::uint64_t value)>;
  void set_on_left_out(OnLeftOut on_left_out) { on_left_out_ = std::move(on_left_out); }
  // How many samples were left out since the last call.
  [[nodiscard]] std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

  // Reads the system's clock again, which may have been set: the times of samples follow it.
  void look_at_clock() { unix_clock_.look(); }

  // A row without its stacks and its value.
  [[nodiscard]] Row row_of(const stack_key& key, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const;
  // The same with the stacks of `key`, and with those of `waker` unless it is null.
  [[nodiscard]] Row row_with_stacks(const stack_key& key, const stack_key* waker, std::uint64_t time_ns,
                                    ProcessTimeline& timeline, Profile& into);
  void add_waker(Row& row, const stack_key& waker, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into);
  // Hands the row over as a sample, and adds it to `into`. `value` is in the unit of the BPF program; only the sample
  // needs `time_ns` and `cpu`.
  void hand_over(Row& row, std::uint64_t value, std::uint64_t samples, std::uint64_t time_ns, std::uint32_t cpu,
                 Profile& into);

 private:
  void call_meanwhile_if_due();

  ValueConversion conversion_;
  bool by_cpu_;
  bool wants_rows_;
  StackMaps& stacks_;
  OnSample on_sample_;
  std::function<void()> meanwhile_;
  std::uint32_t rows_since_call_ = 0;
  std::uint32_t left_out_tgid_ = 0;
  std::uint32_t left_out_image_ = 0;  // 0: none
  std::uint64_t left_out_ = 0;        // samples
  OnLeftOut on_left_out_;
  std::uint64_t left_over_ = 0;  // remainder of the last division by ValueConversion::divisor
  UnixClock unix_clock_;
};

}  // namespace profile
