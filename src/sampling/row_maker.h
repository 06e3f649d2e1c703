// Makes rows of what the kernel side counts by: names the process at that time, reads the stacks, converts the value,
// and puts the row into a profile or hands it over as a sample of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "abi/record.h"
#include "model/profile.h"
#include "model/sample.h"
#include "support/clock.h"

namespace profile {

class ProcessTimeline;
class StackMaps;

// Turns what the kernel side measured into what a Profile holds.
struct ValueConversion {
  // Values are divided by it: 1000 where the kernel counts nanoseconds and rows are in microseconds. The rest of a
  // division goes to the next row, so that the total is right to the unit.
  std::uint64_t divisor = 1;
  // The text of stack_key::tag; nullptr where the source has none.
  std::function<std::string(std::uint32_t tag)> tag_text;
  // Where in a value of `spans` the key of who ends the span lies, which the histograms `woken` count by, too; 0: it is
  // not asked for.
  std::size_t waker_at = 0;
};

class RowMaker {
 public:
  // `stacks` must outlive it. `by_cpu`: rows of different CPUs are different.
  RowMaker(ValueConversion conversion, bool by_cpu, StackMaps& stacks)
      : conversion_(std::move(conversion)), by_cpu_(by_cpu), stacks_(stacks) {}

  using OnSample = std::function<void(const Sample&)>;
  void stream_to(OnSample on_sample) { on_sample_ = std::move(on_sample); }
  [[nodiscard]] bool is_streaming() const { return on_sample_ != nullptr; }
  // Called every few milliseconds while rows are made.
  void set_meanwhile(std::function<void()> meanwhile) { meanwhile_ = std::move(meanwhile); }
  // As Source::leave_out().
  void leave_out(std::uint32_t tgid, std::uint32_t image) {
    left_out_tgid_ = tgid;
    left_out_image_ = image;
  }
  [[nodiscard]] std::uint32_t left_out_tgid() const { return left_out_tgid_; }
  // `value` is in the kernel side's unit.
  using OnLeftOut = std::function<void(const Row& row, std::uint64_t samples, std::uint64_t value)>;
  void set_on_left_out(OnLeftOut on_left_out) { on_left_out_ = std::move(on_left_out); }
  // How many samples were left out since the last call.
  [[nodiscard]] std::uint64_t take_left_out() { return std::exchange(left_out_, 0); }

  // The system's clock may have been set: sees to it that times of samples follow.
  void look_at_clock() { unix_clock_.look(); }

  // All of a row but its stacks and its value.
  [[nodiscard]] Row row_of(const stack_key& key, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const;
  // The same with the stacks that the key names, and with `waker`'s unless it is null.
  [[nodiscard]] Row row_with_stacks(const stack_key& key, const stack_key* waker, std::uint64_t time_ns,
                                    ProcessTimeline& timeline, Profile& into);
  void add_waker(Row& row, const stack_key& waker, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into);
  // Adds the row to `into` or hands it over. `value` is in the kernel side's unit; `time_ns` and `cpu` are a stream's.
  void hand_over(Row& row, std::uint64_t value, std::uint64_t samples, std::uint64_t time_ns, std::uint32_t cpu,
                 Profile& into);

 private:
  void look_up();

  ValueConversion conversion_;
  bool by_cpu_;
  StackMaps& stacks_;
  OnSample on_sample_;
  std::function<void()> meanwhile_;
  std::uint32_t made_since_look_ = 0;  // rows
  std::uint32_t left_out_tgid_ = 0;
  std::uint32_t left_out_image_ = 0;  // 0: none
  std::uint64_t left_out_ = 0;        // samples
  OnLeftOut on_left_out_;
  std::uint64_t left_over_ = 0;  // of the last division by ValueConversion::divisor
  UnixClock unix_clock_;
};

}  // namespace profile
