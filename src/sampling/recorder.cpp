#include "sampling/recorder.h"

#include <bpf/libbpf.h>
#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "parse/children.h"
#include "process/timeline.h"
#include "sampling/held_spans.h"
#include "sampling/stack_maps.h"
#include "sampling/table_supply.h"
#include "sampling/unfinished.h"
#include "sampling/walk.h"
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

Recorder::Recorder(bpf_object& object, const SamplingOptions& options, ValueConversion reading)
    : reading_(std::move(reading)),
      children_(options.children),
      cpus_(static_cast<std::uint32_t>(possible_cpu_count())),
      stack_entries_(options.stack_entries),
      by_cpu_(options.by_cpu && !options.stream),
      state_memory_(bpf_map__fd(&bpf_map_named(object, ".data.record")), sizeof(record_state)),
      state_(static_cast<record_state*>(state_memory_.data())),
      account_memory_(bpf_map__fd(&bpf_map_named(object, "accounts")),
                      std::size_t{PROFILE_GENERATIONS} * cpus_ * sizeof(cpu_account)),
      accounts_(static_cast<cpu_account*>(account_memory_.data())),
      stacks_({bpf_map__fd(&bpf_map_named(object, "stacks_0")), bpf_map__fd(&bpf_map_named(object, "stacks_1"))},
              options.max_stack_depth),
      held_spans_(std::make_unique<HeldSpans>()) {
  histogram_fds_ = {bpf_map__fd(&bpf_map_named(object, "histogram_0")),
                    bpf_map__fd(&bpf_map_named(object, "histogram_1"))};
  if (reading_.waker_at != 0) {
    woken_fds_ = {bpf_map__fd(&bpf_map_named(object, "woken_0")), bpf_map__fd(&bpf_map_named(object, "woken_1"))};
  }
  if (const bpf_map* spans = bpf_object__find_map_by_name(&object, "spans")) {
    spans_fd_ = bpf_map__fd(spans);
    span_key_bytes_ = bpf_map__key_size(spans);
    span_bytes_ = bpf_map__value_size(spans);
  }
  open_ring(bpf_map_named(object, "ring"), ring_);
  note_own_processes(*state_, children_);
  if (!walks(object)) return;
  tables_ = std::make_unique<TableSupply>(object, options.children->reader());
  stacks_.clear_with({bpf_map__fd(&bpf_map_named(object, "sent_0")), bpf_map__fd(&bpf_map_named(object, "sent_1"))});
  if (options.stream) return;
  unfinished_ = std::make_unique<UnfinishedWalks>(*tables_, options.unwinding == Unwinding::tables, options.walk_depth);
  open_ring(bpf_map_named(object, "unfinished"), unfinished_ring_);
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (::epoll_ctl(poll_fd(), EPOLL_CTL_ADD, ring_buffer__epoll_fd(unfinished_ring_.reader.get()), &readable) != 0) {
    throw system_error("cannot wait for the BPF ring buffer", errno);
  }
}

Recorder::~Recorder() = default;

void Recorder::open_ring(const bpf_map& map, Ring& ring) {
  ring.size_bytes = bpf_map__max_entries(&map);
  ring.reader = RingBuffer(ring_buffer__new(bpf_map__fd(&map), on_record, this, nullptr));
  if (!ring.reader) throw system_error("cannot open the BPF ring buffer", errno);
}

void Recorder::set_paused(bool paused) {
  std::atomic_ref(state_->paused).store(paused ? 1 : 0, std::memory_order_relaxed);
  paused_ns_ = paused ? monotonic_ns() : 0;
}

void Recorder::look_up() {
  if (++read_since_look_ < read_between_looks || !meanwhile_) return;
  read_since_look_ = 0;
  meanwhile_();
}

int Recorder::poll_fd() const { return ring_buffer__epoll_fd(ring_.reader.get()); }

// Only copies: the timeline may not have heard yet of a process whose sample is here, so samples wait for its update.
int Recorder::on_record(void* context, void* data, std::size_t size) noexcept {
  auto& self = *static_cast<Recorder*>(context);
  ring_header header{};
  if (size < sizeof header) return 0;
  std::memcpy(&header, data, sizeof header);
  if (header.type == RING_HALF_FULL) {
    if (header.generation == (self.state_->drain_count & 1)) self.half_full_ = true;
    return 0;
  }
  try {
    const std::size_t words = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    const std::size_t at = self.inbox_.size();
    self.inbox_.resize(at + 1 + words);
    self.inbox_[at] = words;
    std::memcpy(&self.inbox_[at + 1], data, size);
  } catch (...) {
    self.out_of_memory_ = true;
  }
  self.unread_budget_bytes_ -= static_cast<std::int64_t>(size);
  return self.unread_budget_bytes_ > 0 ? 0 : -ENOBUFS;
}

// Reads no more than the ring can hold: everything that was there when the call began, but not for ever when samples
// come faster than they are read.
void Recorder::read_ring() {
  unix_clock_.look();
  // A walk's frames up to where it stood still are in the other ring, sent before: read in this order they are there.
  for (const Ring* const ring : {&unfinished_ring_, &ring_}) {
    if (!ring->reader) continue;
    unread_budget_bytes_ = ring->size_bytes;
    const int result = ring_buffer__consume(ring->reader.get());
    if (out_of_memory_) throw std::bad_alloc();
    if (result < 0 && result != -ENOBUFS) throw system_error("cannot read the BPF ring buffer", -result);
  }
}

void Recorder::consume(ProcessTimeline& timeline, Profile& into) {
  note_own_processes(*state_, children_);
  read_ring();
  if (inbox_.empty()) return;
  timeline.update();
  count_inbox(state_->drain_count & 1, true, timeline, into);
  supply_tables(timeline);
  finish_walks(timeline, into);
}

void Recorder::finish_walks(ProcessTimeline& timeline, Profile& into) {
  if (!unfinished_) return;
  unfinished_->finish(timeline, [&](const ring_unfinished& begun, const FinishedWalk* finished) {
    count_finished(begun, finished, timeline, into);
  });
}

void Recorder::end_walks(std::uint32_t generation, bool is_sampling, ProcessTimeline& timeline, Profile& into) {
  if (!unfinished_) return;
  unfinished_->end(generation, is_sampling, timeline, [&](const ring_unfinished& begun, const FinishedWalk* finished) {
    count_finished(begun, finished, timeline, into);
  });
}

void Recorder::count_finished(const ring_unfinished& begun, const FinishedWalk* finished, ProcessTimeline& timeline,
                              Profile& into) {
  if (begun.of_span != UNFINISHED_SAMPLE) {
    if (finished != nullptr) stacks_.finish(begun, finished->callers, finished->end, finished->is_guessed);
    return;
  }
  Row row = row_of(begun.key, begun.time_ns, timeline, into);
  row.user = finished != nullptr ? stacks_.read_finished(into, row.process, begun, finished->callers, finished->end,
                                                         finished->is_guessed)
                                 : stacks_.read_user(into, row.process, begun.key);
  row.kernel = stacks_.read_kernel(into, begun.key);
  hand_over(row, begun.value, 1, begun.time_ns, begun.key.cpu, into);
  ++counted_from_ring_[begun.header.generation];
}

bool Recorder::take_aside(const std::uint64_t* record, std::size_t words) {
  const auto& header = *reinterpret_cast<const ring_header*>(record);
  if (header.type == RING_STACK) {
    constexpr std::size_t head_words = sizeof(ring_stack) / sizeof(std::uint64_t);
    stacks_.keep(*reinterpret_cast<const ring_stack*>(record), std::span(record, words).subspan(head_words));
    return true;
  }
  if (header.type == RING_UNFINISHED) {
    unfinished_->keep(std::span(record, words));
    return true;
  }
  if (header.type == RING_FILE && tables_) tables_->ask(*reinterpret_cast<const ring_file*>(record));
  return header.type == RING_FILE;
}

bool Recorder::wants_tables() const { return tables_ && tables_->is_asked(); }

void Recorder::supply_tables(ProcessTimeline& timeline) {
  if (tables_) tables_->supply(timeline);
}

const stack_key* Recorder::waker_in(const std::uint64_t* record, std::size_t words) {
  if (words < sizeof(ring_woken_end) / sizeof(std::uint64_t)) return nullptr;
  return &reinterpret_cast<const ring_woken_end*>(record)->waker;
}

bool Recorder::waits_for_stack(const ring_span_end& end, const stack_key* waker) const {
  if (!unfinished_ || (end.flags & SPAN_COUNTS) == 0) return false;
  if (waker != nullptr && is_walked(*waker) && unfinished_->has_span(waker->user_hash)) return true;
  const ring_sample* const begun = held_spans_->find(end.span, end.began_ns);
  const stack_key& key = begun != nullptr ? begun->key : end.key;
  return is_walked(key) && unfinished_->has_span(key.user_hash);
}

// Counts the samples of `generation`; those of the other one stay, for the profile after this one. A stream has no
// generations.
void Recorder::count_inbox(std::uint32_t generation, bool may_wait, ProcessTimeline& timeline, Profile& into) {
  stacks_.forget();  // what was read for another profile
  std::size_t kept = 0;
  for (std::size_t at = 0; at < inbox_.size();) {
    const std::size_t words = inbox_[at] + 1;
    const std::uint64_t* record = &inbox_[at + 1];
    const auto& header = *reinterpret_cast<const ring_header*>(record);
    if (take_aside(record, words - 1)) {
      at += words;
      continue;
    }
    if (header.type == RING_SPAN) {
      const auto& begun = *reinterpret_cast<const ring_sample*>(record);
      // Of those before it by that id the ends have come, or were lost; unless one is among the records that wait.
      if (kept == 0) held_spans_->forget_before(begun.span, begun.time_ns);
      held_spans_->hold(std::span(record, words - 1));
      ++collided_;
    } else if (header.generation != generation ||
               (may_wait && header.type == RING_SPAN_END &&
                waits_for_stack(*reinterpret_cast<const ring_span_end*>(record), waker_in(record, words - 1)))) {
      std::copy_n(inbox_.begin() + static_cast<std::ptrdiff_t>(at), words,
                  inbox_.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += words;
    } else if (header.type == RING_SPAN_END) {
      count_span_end(*reinterpret_cast<const ring_span_end*>(record), waker_in(record, words - 1), timeline, into);
    } else {
      const auto& sample = *reinterpret_cast<const ring_sample*>(record);
      count_whole(sample, sample.value, sample.time_ns, sample.key.cpu, nullptr, timeline, into);
      ++counted_from_ring_[generation];
      ++collided_;
    }
    at += words;
  }
  inbox_.resize(kept);
}

void Recorder::count_whole(const ring_sample& sample, std::uint64_t value, std::uint64_t time_ns, std::uint32_t cpu,
                           const stack_key* waker, ProcessTimeline& timeline, Profile& into) {
  Row row = row_of(sample.key, sample.time_ns, timeline, into);
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
  if (is_walked(sample.key)) {
    row.user = stacks_.read_user(into, row.process, sample.key);
  } else {
    row.user = sample.user_bytes < 0 ? absent(sample.user_bytes)
                                     : intern_user_stack(into, row.process, user, sample.key.caller);
  }
  row.kernel = sample.kernel_bytes < 0 ? absent(sample.kernel_bytes)
                                       : into.stack_of(ProcessId::kernel, FrameKind::kernel, kernel);
  if (waker != nullptr) add_waker(row, *waker, time_ns, timeline, into);
  hand_over(row, value, 1, time_ns, cpu, into);
}

void Recorder::count_span_end(const ring_span_end& end, const stack_key* waker, ProcessTimeline& timeline,
                              Profile& into) {
  if ((end.flags & SPAN_BY_KEY) != 0) {
    ++counted_from_ring_[end.header.generation];
    Row row = row_of(end.key, end.time_ns, timeline, into);
    row.user = stacks_.read_user(into, row.process, end.key);
    row.kernel = stacks_.read_kernel(into, end.key);
    if (waker != nullptr) add_waker(row, *waker, end.time_ns, timeline, into);
    hand_over(row, end.value, 1, end.time_ns, end.cpu, into);
    return;
  }
  const ring_sample* const begun = held_spans_->find(end.span, end.began_ns);
  if (begun == nullptr) return;  // its beginning was lost, and has been counted as that
  if ((end.flags & SPAN_COUNTS) != 0) {
    count_whole(*begun, end.value, end.time_ns, end.cpu, waker, timeline, into);
    ++counted_from_ring_[end.header.generation];
  }
  if ((end.flags & SPAN_CLOSED) != 0) held_spans_->forget(end.span, end.began_ns);
}

void Recorder::hold_span(std::uint64_t id, const ring_sample& head, std::span<const std::uint64_t> user_leaf_first,
                         std::span<const std::uint64_t> kernel_leaf_first) {
  held_spans_->hold(id, head, user_leaf_first, kernel_leaf_first);
}

void Recorder::hold_span(std::uint64_t id, ring_sample head, std::unique_ptr<ring_unfinished> begun,
                         std::span<const std::uint64_t> kernel_leaf_first) {
  const std::uint32_t generation = state_->drain_count & 1;
  head.key.user_stack =
      static_cast<__s32>(WALK_STACK | WALK_NO_TABLE_YET | generation << PROFILE_STACK_GENERATION_SHIFT);
  head.key.user_hash = ++own_hashes_;
  begun->key = head.key;
  begun->header.generation = generation;
  const ring_stack as_sent{.header = {.type = RING_STACK, .generation = generation}, .hash = head.key.user_hash};
  const std::uint64_t leaf = begun->stuck.pc;
  stacks_.keep(as_sent, {&leaf, 1});
  const std::size_t bytes = offsetof(ring_unfinished, stack) + begun->bytes;
  unfinished_->keep({reinterpret_cast<const std::uint64_t*>(begun.get()), (bytes + 7) / sizeof(std::uint64_t)});
  held_spans_->hold(id, head, {}, kernel_leaf_first);
}

Row Recorder::row_of(const stack_key& key, std::uint64_t time_ns, ProcessTimeline& timeline, Profile& into) const {
  const std::string_view comm = comm_of(key.comm);
  Row row;
  row.process = process_of(timeline, into, key.tgid, time_ns, comm);
  row.tid = key.tid;
  if (by_cpu_) row.cpu = key.cpu;
  row.thread_name = into.strings.intern(comm);
  if (key.tag != 0 && reading_.tag_text) row.tag = into.strings.intern(reading_.tag_text(key.tag));
  return row;
}

void Recorder::add_waker(Row& row, const stack_key& waker, std::uint64_t time_ns, ProcessTimeline& timeline,
                         Profile& into) {
  const std::string_view comm = comm_of(waker.comm);
  const ProcessId process = process_of(timeline, into, waker.tgid, time_ns, comm);
  row.waker = into.strings.intern(comm.empty() ? unknown_name : comm);
  row.waker_user = stacks_.read_user(into, process, waker);
  row.waker_kernel = stacks_.read_kernel(into, waker);
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
    on_sample_(Sample{.row = row, .unix_ns = unix_clock_.at(time_ns), .cpu = cpu});
  } else {
    into.add(row);
  }
}

bool Recorder::wants_drain() const {
  return half_full_ || (!on_sample_ && collided_ > stack_entries_ / collision_share);
}

}  // namespace profile
