#include "store/batch.h"

#include <sys/random.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "model/stack_end.h"
#include "output/output.h"
#include "push/store_request.h"
#include "store/row_binary.h"
#include "store/tables.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/hash.h"

namespace profile {
namespace {

constexpr std::uint64_t day_s = 86'400;
// After that, stacks are sent again: a server may have lost them without a word.
constexpr std::uint64_t most_trust_s = 3600;
// With as many numbers of stacks and frames, 16 MB, a run begins anew and sends them again.
constexpr std::size_t most_ids = std::size_t{1} << 19;

// SHA-1, folded to 64 bits: who can choose names cannot make them take the number of other content.
std::uint64_t content_id(std::string_view content) {
  static const boost::uuids::name_generator_sha1 generator{boost::uuids::uuid{}};
  const boost::uuids::uuid id = generator(content.data(), content.size());
  std::uint64_t halves[2];
  std::memcpy(halves, id.data, sizeof halves);
  return halves[0] ^ halves[1];
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    throw system_error("cannot make a random number", errno);
  }
  return number;
}

std::string gzipped_rows(const std::string& rows) {
  std::ostringstream out;
  write_gzipped(out, [&](std::ostream& to) { to << rows; });
  return std::move(out).str();
}

std::string_view label(const PushLabels& labels, std::string_view name) {
  const auto found = labels.find(name);
  return found == labels.end() ? std::string_view() : found->second;
}

// The columns of the table of frames from `kind` on, which are also what a number stands for.
std::string frame_columns(const Profile& profile, const StoredFrame& frame, BinaryId id) {
  const Binary& binary = profile.binary(id);
  std::string row;
  for (const std::string_view text : {frame.kind, frame.name, frame.module, profile.strings.view(binary.path),
                                      profile.strings.view(binary.build_id)}) {
    append_text(row, text);
  }
  for (const std::uint64_t number : {binary.code.start.value, binary.code.limit.value, binary.code.offset.value,
                                     frame.offset, frame.function, frame.address}) {
    append_number(row, number);
  }
  append_number(row, static_cast<std::uint8_t>(frame.is_return ? 1 : 0));
  append_text(row, frame.unnamed);
  append_text(row, frame.file);
  append_number(row, frame.line);
  return row;
}

std::string_view bytes_of(const std::vector<std::uint64_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};
}

}  // namespace

void StoreBatches::begin(const Profile& tick) {
  const std::uint64_t began_s = tick.began_unix_ns / ns_per_s;
  const std::uint64_t day = began_s / day_s;
  const bool is_trusted = began_s >= emptied_s_ && began_s - emptied_s_ < most_trust_s;
  if (day != day_ || !is_trusted || stored_.size() + taken_.size() > most_ids) {
    day_ = day;
    emptied_s_ = began_s;
    note_emptied();
  }
  time_s_ = static_cast<std::uint32_t>(began_s);
  duration_ms_ = static_cast<std::uint32_t>(tick.duration_ns / 1'000'000);
  batch_ = random_number();
  functions_.assign(tick.frames().size(), {});
}

bool StoreBatches::is_new(std::uint64_t id) {
  const std::uint64_t key = hash_of(service_hash_, id);
  return !stored_.contains(key) && in_batch_.insert(key).second;
}

const std::vector<std::uint64_t>& StoreBatches::functions(const Profile& profile, FrameId frame) {
  std::vector<std::uint64_t>& ids = functions_[static_cast<std::size_t>(frame)];
  if (!ids.empty()) return ids;
  const Frame& of = profile.frame(frame);
  for (const StoredFrame& function : stored_functions(profile, of)) {
    ids.push_back(content_id(frame_columns(profile, function, ids.empty() ? of.binary : BinaryId::none)));
  }
  return ids;
}

void StoreBatches::add_frame(std::uint64_t id, std::string_view columns) {
  append_number(frames_, static_cast<std::uint16_t>(day_));
  append_text(frames_, service_);
  append_number(frames_, id);
  frames_.append(columns);
}

void StoreBatches::append(const Profile& profile, const StoredFrame& frame) {
  const std::string columns = frame_columns(profile, frame, BinaryId::none);
  const std::uint64_t id = content_id(columns);
  stack_frames_.push_back(id);
  if (is_new(id)) add_frame(id, columns);
}

void StoreBatches::append(const Profile& profile, StackId stack, std::string_view missed) {
  if (stack == StackId::missed) return append(profile, {.kind = kind_missed, .name = missed});
  const auto leaf_first = profile.stack(stack);
  for (std::size_t i = leaf_first.size(); i-- != 0;) {
    const std::vector<std::uint64_t>& ids = functions(profile, leaf_first[i]);
    stack_frames_.insert(stack_frames_.end(), ids.begin(), ids.end());
    for (std::size_t of_frame = 0; of_frame < ids.size(); ++of_frame) {
      if (!is_new(ids[of_frame])) continue;
      const Frame& frame = profile.frame(leaf_first[i]);
      const BinaryId binary = of_frame == 0 ? frame.binary : BinaryId::none;
      add_frame(ids[of_frame], frame_columns(profile, stored_functions(profile, frame)[of_frame], binary));
    }
  }
}

std::uint64_t StoreBatches::stack_id(const Profile& profile, const Row& row) {
  stack_frames_.clear();
  if (const StackEnd end = profile.end_of(row.user); end != StackEnd::unknown) {
    append(profile, {.kind = kind_end, .name = words_of(end).key});
  }
  append(profile, row.user, missed_user_stack);
  append(profile, row.kernel, missed_kernel_stack);
  if (row.tag != StringId::empty) append(profile, {.kind = kind_tag, .name = profile.strings.view(row.tag)});
  const std::uint64_t id = content_id(bytes_of(stack_frames_));
  if (is_new(id)) {
    append_number(stacks_, static_cast<std::uint16_t>(day_));
    append_text(stacks_, service_);
    append_number(stacks_, id);
    append_size(stacks_, stack_frames_.size());
    stacks_.append(bytes_of(stack_frames_));
  }
  return id;
}

void StoreBatches::add(const Profile& profile, const PushLabels& labels, std::span<const Row> rows) {
  service_ = label(labels, "service");
  service_hash_ = hash_of_text(service_);
  std::map<std::pair<std::string_view, std::uint64_t>, Sum> sums;
  for (const Row& row : rows) {
    const std::string_view process = profile.strings.view(profile.process(row.process).name);
    Sum& sum = sums[{process, stack_id(profile, row)}];
    sum.value += row.value;
    sum.samples += profile.knows_samples() ? row.samples : row.value;
  }
  const RunInfo& run = profile.run;
  std::string before;  // the columns that all of them share, up to the process
  append_number(before, time_s_);
  append_number(before, duration_ms_);
  append_text(before, label(labels, "host"));
  append_text(before, service_);
  append_text(before, label(labels, "version"));
  constexpr std::string_view with_columns[] = {"host", "service", "version"};
  std::vector<std::string> others;
  for (const auto& [name, value] : labels) {
    if (std::ranges::find(with_columns, name) != std::end(with_columns)) continue;
    others.push_back(name);
    others.back().append(1, '=').append(value);
  }
  append_size(before, others.size());
  for (const std::string& other : others) append_text(before, other);
  append_text(before, run.event);
  append_text(before, run.title);
  append_text(before, run.unit.word());
  append_number(before, static_cast<std::uint32_t>(run.frequency_hz));
  append_number(before, run.period_events);
  for (const auto& [key, sum] : sums) {
    samples_.append(before);
    append_text(samples_, key.first);
    append_number(samples_, key.second);
    append_number(samples_, sum.value);
    append_number(samples_, sum.samples);
    append_number(samples_, batch_);
    samples_in_batch_ += sum.samples;
  }
  if (count_.empty() && !sums.empty()) {
    count_ = "SELECT count() FROM " + std::string(samples_table) + " WHERE service = " + sql_string(service_) +
             " AND event = " + sql_string(run.event) + " AND time = toDateTime(" + std::to_string(time_s_) +
             ") AND batch = " + std::to_string(batch_) + " FORMAT TabSeparated";
  }
}

StoreBatches::Batch StoreBatches::take() {
  taken_.merge(in_batch_);
  in_batch_.clear();
  const std::string samples = std::exchange(samples_, {});
  const std::string stacks = std::exchange(stacks_, {});
  const std::string frames = std::exchange(frames_, {});
  if (samples.empty()) return {};
  char name[40];
  std::snprintf(name, sizeof name, "profile-%016llx", static_cast<unsigned long long>(batch_));
  StoreRequest request{.batch = name, .tables = store_columns(), .count = std::exchange(count_, {}), .inserts = {}};
  const auto add = [&](std::string_view table, const std::string& rows) {
    if (!rows.empty()) request.inserts.push_back({.sql = insert_into(table), .rows = gzipped_rows(rows)});
  };
  add(frames_table, frames);
  add(stacks_table, stacks);
  add(samples_table, samples);
  return {.body = body_of(request), .samples = std::exchange(samples_in_batch_, 0)};
}

void StoreBatches::note_emptied() {
  stored_.clear();
  taken_.clear();
}

void StoreBatches::note_all_stored() {
  stored_.merge(taken_);
  taken_.clear();
}

}  // namespace profile
