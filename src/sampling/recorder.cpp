#include "sampling/recorder.h"

#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "parse/children.h"
#include "process/timeline.h"
#include "sampling/table_supply.h"
#include "sampling/unfinished.h"
#include "sampling/walk.h"
#include "support/clock.h"

namespace profile {
namespace {

// A drain is due when more than this share of the stack map's entries (one in 16) has collided in one generation.
constexpr std::uint64_t collision_share = 16;

// How long a sample that is handed over by itself waits for the tables that its stack needs. A large library's table
// takes some tenths of a second on a busy machine.
constexpr std::uint64_t patience_with_samples_ns = 500'000'000;

// The key of the thread that ended the span; null when the record has none.
const stack_key* waker_in(std::span<const std::uint64_t> record) {
  if (record.size_bytes() < sizeof(ring_woken_end)) return nullptr;
  return &reinterpret_cast<const ring_woken_end*>(record.data())->waker;
}

template <class Record>
const Record& as(std::span<const std::uint64_t> words) {
  return *reinterpret_cast<const Record*>(words.data());
}

bool counts_samples(bpf_object& object) {
  const void* memory = bpf_section_memory(object, ".rodata.record", sizeof(record_config));
  return static_cast<const record_config*>(memory)->weighted != 0;
}

}  // namespace

Recorder::Recorder(bpf_object& object, const SamplingOptions& options, const ValueConversion& conversion)
    : stack_entries_(options.stack_entries),
      histogram_entries_(bpf_map__max_entries(&bpf_map_named(object, "histogram_0"))),
      counts_samples_(counts_samples(object)),
      generations_(object),
      histograms_(object, conversion.waker_at != 0),
      names_(object),
      stacks_({bpf_map_fd(object, "stacks_0"), bpf_map_fd(object, "stacks_1")}, options.max_stack_depth, names_),
      rows_(conversion, options.by_cpu, options.rows, stacks_),
      spans_(object, conversion.waker_at),
      rings_(bpf_map_named(object, "ring"), generations_) {
  generations_.note_own_processes();
  if (!walks(object)) return;
  tables_ = std::make_unique<TableSupply>(object, options.children->reader());
  stacks_.clear_with({bpf_map_fd(object, "sent_0"), bpf_map_fd(object, "sent_1")});
  if (options.unwinding == Unwinding::frame_pointers) return;
  unfinished_ = std::make_unique<UnfinishedWalks>(*tables_, options.unwinding == Unwinding::tables, options.walk_depth);
  rings_.add_unfinished(bpf_map_named(object, "unfinished"));
}

Recorder::~Recorder() = default;

void Recorder::begin_without_scripts(ScriptProgram& program) {
  if (tables_) tables_->begin_without_scripts(program);
}

void Recorder::consume(ProcessTimeline& timeline, Profile& into) {
  generations_.note_own_processes();
  rows_.look_at_clock();
  rings_.read();
  const bool any_wait = rows_.hands_over() && complete_until_ns() != UINT64_MAX;
  if (rings_.is_empty() && !any_wait) return;
  timeline.update();
  count_inbox(generations_.current(), true, timeline, into);
  supply_tables(timeline);
  if (!unfinished_) return;
  const auto on_finished = [&](const ring_unfinished& begun, const FinishedWalk* finished) {
    count_finished(begun, finished, timeline, into);
  };
  unfinished_->finish(timeline, on_finished);
  if (rows_.hands_over()) unfinished_->end_before(monotonic_ns() - patience_with_samples_ns, timeline, on_finished);
}

std::uint64_t Recorder::complete_until_ns() const {
  return unfinished_ ? std::min(waits_since_ns_, unfinished_->oldest_ns()) : UINT64_MAX;
}

void Recorder::count_finished(const ring_unfinished& begun, const FinishedWalk* finished, ProcessTimeline& timeline,
                              Profile& into) {
  if (finished != nullptr && finished->met_layout != 0) {
    names_.count_first_sample(tables_->language_of(finished->met_layout));
  }
  if (begun.of_span != UNFINISHED_SAMPLE) {
    if (finished != nullptr) stacks_.finish(begun, *finished);
    return;
  }
  Row row = rows_.row_of(begun.key, begun.time_ns, timeline, into);
  row.user = finished != nullptr ? stacks_.read_finished(into, row.process, begun, *finished)
                                 : stacks_.read_user(into, row.process, begun.key);
  row.kernel = stacks_.read_kernel(into, begun.key);
  rows_.hand_over(row, begun.value, 1, begun.time_ns, begun.key.cpu, into);
  ++counted_from_ring_[begun.header.generation];
}

bool Recorder::take_aside(std::span<const std::uint64_t> record) {
  switch (as<ring_header>(record).type) {
    case RING_STACK:
      stacks_.keep(as<ring_stack>(record), record.subspan(sizeof(ring_stack) / sizeof(std::uint64_t)));
      return true;
    case RING_UNFINISHED:
      unfinished_->keep(record);
      return true;
    case RING_NAME:
      names_.keep(as<ring_name>(record));
      return true;
    case RING_LINES:
      names_.keep(as<ring_lines>(record), record.size_bytes());
      return true;
    case RING_FILE:
      if (tables_) tables_->ask(as<ring_file>(record));
      return true;
    default:
      return false;
  }
}

bool Recorder::wants_tables() const { return tables_ && tables_->is_asked(); }

void Recorder::supply_tables(ProcessTimeline& timeline) {
  if (tables_) tables_->supply(timeline);
}

void Recorder::expect_scripts(ProcessTimeline& timeline, std::uint32_t tgid) {
  if (tables_) tables_->expect_scripts(timeline, tgid);
}

std::vector<script_language> Recorder::known_languages() const {
  return tables_ ? tables_->languages() : std::vector<script_language>();
}

std::vector<std::string> Recorder::notes() const {
  std::vector<std::string> lines = names_.notes();
  if (!tables_) return lines;
  const std::vector<std::string> of_tables = tables_->notes();
  lines.insert(lines.end(), of_tables.begin(), of_tables.end());
  return lines;
}

bool Recorder::waits_for_stack(const ring_span_end& end, const stack_key* waker) const {
  if (!unfinished_ || (end.flags & SPAN_COUNTS) == 0) return false;
  if (waker != nullptr && is_walked(*waker) && unfinished_->has_span(waker->user_hash)) return true;
  const ring_sample* const begun = spans_.find(end.span, end.began_ns);
  const stack_key& key = begun != nullptr ? begun->key : end.key;
  return is_walked(key) && unfinished_->has_span(key.user_hash);
}

// Counts the samples of `generation`. Those of the other generation stay for the next profile.
void Recorder::count_inbox(std::uint32_t generation, bool may_wait, ProcessTimeline& timeline, Profile& into) {
  using Fate = SampleRings::Fate;
  stacks_.forget();  // they were read for another profile
  waits_since_ns_ = UINT64_MAX;
  const std::uint64_t too_old_ns = rows_.hands_over() ? monotonic_ns() - patience_with_samples_ns : 0;
  rings_.take_each([&](std::span<const std::uint64_t> record, bool others_wait) {
    if (take_aside(record)) return Fate::counted;
    const auto& header = as<ring_header>(record);
    if (header.type == RING_SPAN) {
      const auto& begun = as<ring_sample>(record);
      // The ends of earlier spans of that id have come or were lost, unless one is among the records that wait.
      if (!others_wait) spans_.forget_before(begun.span, begun.time_ns);
      spans_.hold(record);
      ++collided_;
      return Fate::counted;
    }
    if (header.generation != generation) return Fate::waits;
    if (header.type == RING_SPAN_END) {
      const auto& end = as<ring_span_end>(record);
      if (may_wait && end.time_ns > too_old_ns && waits_for_stack(end, waker_in(record))) {
        waits_since_ns_ = std::min(waits_since_ns_, std::uint64_t{end.time_ns});
        return Fate::waits;
      }
      count_span_end(end, waker_in(record), timeline, into);
      return Fate::counted;
    }
    const auto& sample = as<ring_sample>(record);
    count_whole(sample, {.value = sample.value, .samples = 1, .time_ns = sample.time_ns, .cpu = sample.key.cpu},
                nullptr, timeline, into);
    ++counted_from_ring_[generation];
    ++collided_;
    return Fate::counted;
  });
}

void Recorder::count_whole(const ring_sample& sample, const Counted& counted, const stack_key* waker,
                           ProcessTimeline& timeline, Profile& into) {
  Row row = rows_.row_of(sample.key, sample.time_ns, timeline, into);
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
    row.user =
        sample.user_bytes < 0 ? absent(sample.user_bytes) : intern_user_stack(into, row.process, user, sample.key);
  }
  row.kernel = sample.kernel_bytes < 0 ? absent(sample.kernel_bytes)
                                       : into.stack_of(ProcessId::kernel, FrameKind::kernel, kernel);
  if (waker != nullptr) rows_.add_waker(row, *waker, counted.time_ns, timeline, into);
  rows_.hand_over(row, counted.value, counted.samples, counted.time_ns, counted.cpu, into);
}

void Recorder::count_span_end(const ring_span_end& end, const stack_key* waker, ProcessTimeline& timeline,
                              Profile& into) {
  const std::uint64_t samples = (end.flags & SPAN_PART) != 0 ? 0 : 1;
  if ((end.flags & SPAN_BY_KEY) != 0) {
    counted_from_ring_[end.header.generation] += samples;
    Row row = rows_.row_with_stacks(end.key, waker, end.began_ns, timeline, into);
    rows_.hand_over(row, end.value, samples, end.time_ns, end.cpu, into);
    return;
  }
  const ring_sample* const begun = spans_.find(end.span, end.began_ns);
  if (begun == nullptr) return;  // its beginning was lost, and is already counted as lost
  if ((end.flags & SPAN_COUNTS) != 0) {
    count_whole(*begun, {.value = end.value, .samples = samples, .time_ns = end.time_ns, .cpu = end.cpu}, waker,
                timeline, into);
    counted_from_ring_[end.header.generation] += samples;
  }
  if ((end.flags & SPAN_CLOSED) != 0) spans_.forget(end.span, end.began_ns);
}

void Recorder::hold_span(std::uint64_t id, ring_sample head, std::unique_ptr<ring_unfinished> begun,
                         std::span<const std::uint64_t> kernel_leaf_first) {
  const std::uint32_t generation = generations_.current();
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
  spans_.hold(id, head, {}, kernel_leaf_first);
}

bool Recorder::wants_drain() const {
  return rings_.is_half_full() || (!rows_.hands_over() && collided_ > stack_entries_ / collision_share);
}

bool Recorder::were_maps_full(std::uint32_t generation) const {
  // The kernel refuses a row when there is still room for a few on other CPUs.
  const bool is_full = generations_.rows_of(generation) >= histogram_entries_ - histogram_entries_ / 16;
  return !rows_.hands_over() && (is_full || collided_ > stack_entries_ / collision_share);
}

void Recorder::drain(ProcessTimeline& timeline, Profile& into, bool stopped) {
  const std::uint32_t generation = generations_.current();
  generations_.note_own_processes();
  if (!stopped) generations_.advance();
  rings_.forget_half_full();
  collided_ = 0;
  rows_.look_at_clock();
  rings_.read();
  timeline.update();
  count_inbox(generation, true, timeline, into);
  if (unfinished_) {
    unfinished_->end(generation, !stopped, timeline, [&](const ring_unfinished& begun, const FinishedWalk* finished) {
      count_finished(begun, finished, timeline, into);
    });
  }
  count_inbox(generation, false, timeline, into);

  Account account = generations_.account_of(generation);
  const std::uint64_t read = drain_histogram(generation, timeline, into) + counted_from_ring_[generation];
  account.lost_unread = account.recorded - std::min(account.recorded, read);
  account.recorded -= account.lost_unread;
  const std::uint64_t left_out = std::min(rows_.take_left_out(), account.recorded);
  account.recorded -= left_out;
  account.filtered += left_out;
  if (were_maps_full(generation)) lost_with_full_maps_ += account.lost_ring_full;
  into.account += account;
  if (!stopped) {
    clear_stacks(generation);
    names_.make_room();
    if (tables_) tables_->note_drained(generation);
  }
  generations_.clear(generation);
  counted_from_ring_[generation] = 0;
}

std::uint64_t Recorder::drain_histogram(std::uint32_t generation, ProcessTimeline& timeline, Profile& into) {
  stacks_.forget();  // they were read for another profile
  std::uint64_t total = 0;
  histograms_.for_each(generation, true, [&](const stack_key& key, const stack_key* waker, const stack_value& value) {
    const std::uint64_t samples = counts_samples_ ? value.samples : value.value;
    Row row = rows_.row_with_stacks(key, waker, value.first_ns, timeline, into);
    rows_.hand_over(row, value.value, samples, 0, 0, into);
    total += samples;
  });
  return total;
}

// Deletes the stacks of `generation`, into which the BPF programs do not count now, but keeps the stacks that spans
// need at their end. It reads the map of spans first, so that it finds a span that ends meanwhile in the other
// histogram.
void Recorder::clear_stacks(std::uint32_t generation) {
  StackMaps::Held held;
  const auto hold = [&](const stack_key& key) { StackMaps::hold(key, generation, held); };
  if (spans_.has_spans()) {
    spans_.for_each_under_way(hold);
    generations_.await_programs();
    histograms_.for_each(generation ^ 1, false, [&](const stack_key& key, const stack_key* waker, const stack_value&) {
      hold(key);
      if (waker != nullptr) hold(*waker);
    });
    spans_.for_each_held([&](const ring_sample& begun) { hold(begun.key); });
    rings_.read();
    rings_.look_at_each([&](std::span<const std::uint64_t> record) {
      const auto& end = as<ring_span_end>(record);
      if (end.header.type != RING_SPAN_END) return;
      if ((end.flags & SPAN_BY_KEY) != 0) hold(end.key);
      if (const stack_key* const waker = waker_in(record)) hold(*waker);
    });
  }
  stacks_.clear(generation, held);
}

}  // namespace profile
