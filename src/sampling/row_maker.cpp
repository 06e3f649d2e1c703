#include "sampling/row_maker.h"

#include <cstring>
#include <string_view>

#include "process/timeline.h"
#include "sampling/stack_maps.h"

namespace profile {
namespace {

// In rows; it takes some milliseconds to make so many.
constexpr std::uint32_t rows_between_calls = 1024;

ProcessId process_of(ProcessTimeline& timeline, Profile& profile, std::uint32_t tgid, std::uint64_t time_ns,
                     std::string_view comm) {
  const std::uint32_t image = timeline.image_at(tgid, time_ns);
  const std::string_view name = timeline.name_of(tgid, image);
  return profile.process(tgid, image, name.empty() ? comm : name);
}

}  // namespace

void RowMaker::call_meanwhile_if_due() {
  if (++rows_since_call_ < rows_between_calls || !meanwhile_) return;
  rows_since_call_ = 0;
  meanwhile_();
}

Row RowMaker::row_of(const stack_key& key, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const {
  const std::string_view comm = comm_of(key.comm);
  Row row;
  row.process = process_of(timeline, into, key.tgid, time_ns, comm);
  row.tid = key.tid;
  if (by_cpu_) row.cpu = key.cpu;
  row.thread_name = into.strings.intern(comm);
  if (key.tag != 0 && conversion_.tag_text) row.tag = into.strings.intern(conversion_.tag_text(key.tag));
  return row;
}

Row RowMaker::row_with_stacks(const stack_key& key, const stack_key* waker, std::uint64_t time_ns,
                              ProcessTimeline& timeline, Profile& into) {
  Row row = row_of(key, time_ns, timeline, into);
  row.user = stacks_.read_user(into, row.process, key);
  row.kernel = stacks_.read_kernel(into, key);
  if (waker != nullptr) add_waker(row, *waker, time_ns, timeline, into);
  return row;
}

void RowMaker::add_waker(Row& row, const stack_key& waker, std::uint64_t time_ns, ProcessTimeline& timeline,
                         Profile& into) {
  const std::string_view comm = comm_of(waker.comm);
  const ProcessId process = process_of(timeline, into, waker.tgid, time_ns, comm);
  row.waker = into.strings.intern(comm.empty() ? unknown_name : comm);
  row.waker_user = stacks_.read_user(into, process, waker);
  row.waker_kernel = stacks_.read_kernel(into, waker);
}

void RowMaker::hand_over(Row& row, std::uint64_t value, std::uint64_t samples, std::uint64_t time_ns, std::uint32_t cpu,
                         Profile& into) {
  call_meanwhile_if_due();
  const Process& process = into.process(row.process);
  if (left_out_image_ != 0 && process.image == left_out_image_ && process.tgid == left_out_tgid_) {
    left_out_ += samples;
    if (on_left_out_) on_left_out_(row, samples, value);
    return;
  }
  left_over_ += value % conversion_.divisor;
  row.value = value / conversion_.divisor + left_over_ / conversion_.divisor;
  left_over_ %= conversion_.divisor;
  row.samples = samples;
  if (on_sample_)
    on_sample_({.row = row, .time_ns = time_ns, .unix_ns = unix_clock_.at(time_ns), .cpu = cpu, .event = 0});
  if (wants_rows_) into.add(row);
}

}  // namespace profile
