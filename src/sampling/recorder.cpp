#include "sampling/recorder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "process/timeline.h"
#include "sampling/map_walk.h"
#include "sampling/stack_maps.h"
#include "support/error.h"

namespace profile {
namespace {

// Collisions in one generation after which a fresh one is worth its drain: every sixteenth of the stack map.
constexpr std::uint64_t collision_share = 16;

// Samples or rows: some milliseconds.
constexpr std::uint32_t read_between_looks = 1024;

std::string_view comm_of(const char (&comm)[PROFILE_COMM_BYTES]) { return {comm, ::strnlen(comm, sizeof comm)}; }

ProcessId process_of(ProcessTimeline& timeline, Profile& profile, std::uint32_t tgid, std::uint64_t time_ns,
                     std::string_view comm) {
  const std::uint32_t image = timeline.image_at(tgid, time_ns);
  const std::string_view name = timeline.name_of(tgid, image);
  return profile.process(tgid, image, name.empty() ? comm : name);
}

}  // namespace

Recorder::Recorder(bpf_object& object, const SamplingOptions& options, Reading reading)
    : reading_(std::move(reading)),
      cpus_(static_cast<std::uint32_t>(possible_cpu_count())),
      stack_entries_(options.stack_entries),
      streams_(options.stream),
      by_cpu_(options.by_cpu && !options.stream),
      state_memory_(bpf_map__fd(&bpf_map_named(object, ".data.record")), sizeof(record_state)),
      state_(static_cast<record_state*>(state_memory_.data())),
      account_memory_(bpf_map__fd(&bpf_map_named(object, "accounts")),
                      std::size_t{PROFILE_GENERATIONS} * cpus_ * sizeof(cpu_account)),
      accounts_(static_cast<cpu_account*>(account_memory_.data())),
      stacks_({bpf_map__fd(&bpf_map_named(object, "stacks_0")), bpf_map__fd(&bpf_map_named(object, "stacks_1"))},
              options.max_stack_depth) {
  histogram_fds_ = {bpf_map__fd(&bpf_map_named(object, "histogram_0")),
                    bpf_map__fd(&bpf_map_named(object, "histogram_1"))};
  if (const bpf_map* spans = bpf_object__find_map_by_name(&object, "spans")) {
    spans_fd_ = bpf_map__fd(spans);
    span_key_bytes_ = bpf_map__key_size(spans);
    span_bytes_ = bpf_map__value_size(spans);
  }
  ring_bytes_ = bpf_map__max_entries(&bpf_map_named(object, "ring"));
  ring_ = RingBuffer(ring_buffer__new(bpf_map__fd(&bpf_map_named(object, "ring")), on_record, this, nullptr));
  if (!ring_) throw system_error("cannot open the BPF ring buffer", errno);
}

void Recorder::pause() const { std::atomic_ref(state_->paused).store(1, std::memory_order_relaxed); }
void Recorder::resume() const { std::atomic_ref(state_->paused).store(0, std::memory_order_relaxed); }

void Recorder::leave_out(std::uint32_t tgid, std::uint32_t image) {
  left_out_tgid_ = tgid;
  left_out_image_ = image;
}

void Recorder::look_up() {
  if (++read_since_look_ < read_between_looks || !meanwhile_) return;
  read_since_look_ = 0;
  meanwhile_();
}

int Recorder::poll_fd() const { return ring_buffer__epoll_fd(ring_.get()); }

// Only copies: the timeline may not have heard yet of a process whose sample is here, so samples wait for its update.
int Recorder::on_record(void* context, void* data, std::size_t size) noexcept {
  auto& self = *static_cast<Recorder*>(context);
  ring_header header{};
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  if (header.type == RING_HALF_FULL) {
    if (header.generation == (self.state_->turn & 1)) self.half_full_ = true;
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
  count_inbox(state_->turn & 1, timeline, into);
}

// Counts the samples of `generation`; those of the other one stay, for the profile after this one. A stream has no
// generations.
void Recorder::count_inbox(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  stacks_.forget();  // what was read for another profile
  std::size_t kept = 0;
  for (std::size_t at = 0; at < inbox_.size();) {
    const std::size_t words = inbox_[at] + 1;
    const std::uint64_t* record = &inbox_[at + 1];
    const auto& header = *reinterpret_cast<const ring_header*>(record);
    if (header.type == RING_SPAN) {
      const auto& begun = *reinterpret_cast<const ring_sample*>(record);
      // Of those before it by that id the ends have come, or were lost; unless one is among the records that wait.
      if (kept == 0) forget_spans(begun.span, begun.time_ns);
      held_spans_[{begun.span, begun.time_ns}].assign(record, record + words - 1);
      ++collided_;
    } else if (header.generation != generation) {
      std::copy_n(inbox_.begin() + static_cast<std::ptrdiff_t>(at), words,
                  inbox_.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += words;
    } else if (header.type == RING_SPAN_END) {
      count_span_end(*reinterpret_cast<const ring_span_end*>(record), timeline, into);
    } else {
      const auto& sample = *reinterpret_cast<const ring_sample*>(record);
      count_whole(sample, sample.value, sample.time_ns, sample.cpu, timeline, into);
      ++counted_from_ring_[generation];
      ++collided_;
    }
    at += words;
  }
  inbox_.resize(kept);
}

void Recorder::count_whole(const ring_sample& sample, std::uint64_t value, std::uint64_t time_ns, std::uint32_t cpu,
                           ProcessTimeline& timeline, Profile& into) {
  Row row = row_of(sample, sample.time_ns, timeline, into);
  const auto* frames = reinterpret_cast<const std::uint64_t*>(&sample + 1);
  const auto taken = [&](std::int32_t bytes) {
    const std::span<const std::uint64_t> leaf_first(
        frames, bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
    frames += leaf_first.size();
    return without_zeros(leaf_first);
  };
  const auto user = taken(sample.user_bytes);
  const auto kernel = taken(sample.kernel_bytes);
  const auto absent = [](std::int32_t error) { return error == -EFAULT ? StackId::none : StackId::missed; };
  row.user =
      sample.user_bytes < 0 ? absent(sample.user_bytes) : intern_user_stack(into, row.process, user, sample.caller);
  row.kernel = sample.kernel_bytes < 0 ? absent(sample.kernel_bytes)
                                       : into.stack_of(ProcessId::kernel, FrameKind::kernel, kernel);
  hand_over(row, value, 1, time_ns, cpu, into);
}

void Recorder::count_span_end(const ring_span_end& end, ProcessTimeline& timeline, Profile& into) {
  if ((end.flags & SPAN_BY_KEY) != 0) {
    ++counted_from_ring_[end.header.generation];
    Row row = row_of(end.key, end.time_ns, timeline, into);
    row.user = stacks_.read_user(into, row.process, end.key);
    row.kernel = stacks_.read_kernel(into, end.key);
    hand_over(row, end.value, 1, end.time_ns, end.cpu, into);
    return;
  }
  const auto begun = held_spans_.find({end.span, end.began_ns});
  if (begun == held_spans_.end()) return;  // its beginning was lost, and has been counted as that
  if ((end.flags & SPAN_COUNTS) != 0) {
    count_whole(*reinterpret_cast<const ring_sample*>(begun->second.data()), end.value, end.time_ns, end.cpu, timeline,
                into);
    ++counted_from_ring_[end.header.generation];
  }
  if ((end.flags & SPAN_CLOSED) != 0) held_spans_.erase(begun);
}

void Recorder::forget_spans(std::uint64_t id, std::uint64_t before_ns) {
  held_spans_.erase(held_spans_.lower_bound({id, 0}), held_spans_.lower_bound({id, before_ns}));
}

void Recorder::hold_span(std::uint64_t id, const ring_sample& head, std::span<const std::uint64_t> user_leaf_first,
                         std::span<const std::uint64_t> kernel_leaf_first) {
  constexpr std::size_t head_words = sizeof(ring_sample) / sizeof(std::uint64_t);
  std::vector<std::uint64_t>& words = held_spans_[{id, head.time_ns}];
  words.resize(head_words);
  std::memcpy(words.data(), &head, sizeof head);
  words.insert(words.end(), user_leaf_first.begin(), user_leaf_first.end());
  words.insert(words.end(), kernel_leaf_first.begin(), kernel_leaf_first.end());
  auto& held = *reinterpret_cast<ring_sample*>(words.data());
  if (held.user_bytes >= 0) held.user_bytes = static_cast<std::int32_t>(user_leaf_first.size_bytes());
  if (held.kernel_bytes >= 0) held.kernel_bytes = static_cast<std::int32_t>(kernel_leaf_first.size_bytes());
}

template <class Head>
Row Recorder::row_of(const Head& head, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const {
  const std::string_view comm = comm_of(head.comm);
  Row row;
  row.process = process_of(timeline, into, head.tgid, time_ns, comm);
  row.tid = head.tid;
  if (by_cpu_) row.cpu = head.cpu;
  row.thread_name = into.strings.intern(comm);
  if (head.tag != 0 && reading_.tag_text) row.tag = into.strings.intern(reading_.tag_text(head.tag));
  return row;
}

void Recorder::hand_over(Row& row, std::uint64_t value, std::uint64_t samples, std::uint64_t time_ns, std::uint32_t cpu,
                         Profile& into) {
  look_up();
  const Process& process = into.process(row.process);
  if (left_out_image_ != 0 && process.image == left_out_image_ && process.tgid == left_out_tgid_) {
    left_out_ += samples;
    if (on_left_out_) on_left_out_(row, samples, value);
    return;
  }
  left_over_ += value % reading_.divisor;
  row.value = value / reading_.divisor + left_over_ / reading_.divisor;
  left_over_ %= reading_.divisor;
  row.samples = samples;
  if (on_sample_) {
    on_sample_(Sample{.row = row, .unix_ns = time_ns + unix_offset_ns_, .cpu = cpu});
  } else {
    into.add(row);
  }
}

bool Recorder::wants_drain() const {
  if (streams_) return false;
  return half_full_ || collided_ > stack_entries_ / collision_share;
}

void Recorder::drain(ProcessTimeline& timeline, Profile& into, bool stopped) {
  const std::uint32_t generation = state_->turn & 1;
  if (!stopped) {
    std::atomic_ref(state_->turn).fetch_add(1, std::memory_order_seq_cst);
    barrier_.wait();
  }
  half_full_ = false;
  collided_ = 0;
  read_ring();
  timeline.update();
  count_inbox(generation, timeline, into);

  Account account = account_of(generation);
  const std::uint64_t read = drain_histogram(generation, timeline, into) + counted_from_ring_[generation];
  account.lost_unread = account.recorded - std::min(account.recorded, read);
  account.recorded -= account.lost_unread;
  const std::uint64_t left_out = std::min(std::exchange(left_out_, 0), account.recorded);
  account.recorded -= left_out;
  account.filtered += left_out;
  into.account += account;
  if (!stopped) clear_stacks(generation);

  std::memset(accounts_ + std::size_t{generation} * cpus_, 0, cpus_ * sizeof(cpu_account));
  state_->entries[generation] = 0;
  state_->told[generation] = 0;
  counted_from_ring_[generation] = 0;
}

// Empties the histogram of `generation`; returns the number of samples its rows stood for.
std::uint64_t Recorder::drain_histogram(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  stacks_.forget();  // what was read for another profile
  std::uint64_t total = 0;
  const auto count_row = [&](const stack_key& key, const std::uint64_t* words) {
    const auto& value = *reinterpret_cast<const stack_value*>(words);
    const std::uint64_t samples = value.samples != 0 ? value.samples : value.value;
    Row row = row_of(key, value.first_ns, timeline, into);
    row.user = stacks_.read_user(into, row.process, key);
    row.kernel = stacks_.read_kernel(into, key);
    hand_over(row, value.value, samples, 0, 0, into);
    total += samples;
  };
  for_each_entry<stack_key>(histogram_fds_[generation], sizeof(stack_value), true, count_row);
  return total;
}

// Empties the stack map of `generation`, which is not the active one, but for the stacks of spans that began while it
// was: those are still wanted when the span ends. A span that ends meanwhile is found in the active histogram, because
// its place among the spans is looked at first.
void Recorder::clear_stacks(std::uint32_t generation) {
  std::unordered_set<std::uint32_t> held;
  const auto hold = [&](const stack_key& key) {
    for (const std::int32_t stack : {key.user_stack, key.kernel_stack}) {
      if (stack >= 0 && StackMaps::generation_of(stack) == generation) held.insert(StackMaps::id_of(stack));
    }
  };
  if (spans_fd_ >= 0) {
    const auto hold_span_of = [&](const auto&, const std::uint64_t* words) {
      const auto& under_way = *reinterpret_cast<const span*>(words);
      if (under_way.start_ns != 0 && under_way.whole == 0) hold(under_way.key);
    };
    if (span_key_bytes_ == sizeof(std::uint32_t)) {
      for_each_entry<std::uint32_t>(spans_fd_, span_bytes_, false, hold_span_of);
    } else {
      for_each_entry<std::uint64_t>(spans_fd_, span_bytes_, false, hold_span_of);
    }
    barrier_.wait();
    for_each_entry<stack_key>(histogram_fds_[generation ^ 1], sizeof(stack_value), false,
                              [&](const stack_key& key, const std::uint64_t*) { hold(key); });
    read_ring();
    for (std::size_t at = 0; at < inbox_.size(); at += inbox_[at] + 1) {
      const auto& end = *reinterpret_cast<const ring_span_end*>(&inbox_[at + 1]);
      if (end.header.type == RING_SPAN_END && (end.flags & SPAN_BY_KEY) != 0) hold(end.key);
    }
  }
  stacks_.clear(generation, held);
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
    account.lost_spans_full += slot(ACCOUNT_LOST_SPANS_FULL);
  }
  return account;
}

Account Recorder::pending_account() const { return account_of(state_->turn & 1); }

std::uint64_t Recorder::pending_rows() const {
  return std::atomic_ref(state_->entries[state_->turn & 1]).load(std::memory_order_relaxed);
}

std::uint64_t Recorder::unfollowed() const {
  return std::atomic_ref(state_->unfollowed).load(std::memory_order_relaxed);
}

}  // namespace profile
