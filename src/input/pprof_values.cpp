#include "input/pprof_values.h"

#include <algorithm>
#include <cmath>

#include "input/header_line.h"
#include "model/pprof_format.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

bool is_count(const PprofFile::ValueType& type) { return type.unit == "count"; }

// The form that src/output/formats/pprof.cpp writes.
bool read_account(std::string_view comment, Account& account, std::uint64_t& lost) {
  Scan words(comment);
  return words.number(account.taken) && words.skip(" samples taken: ") && words.number(account.recorded) &&
         words.skip(" recorded, ") && words.number(account.idle) && words.skip(" idle, ") &&
         words.number(account.filtered) && words.skip(" filtered, ") && words.number(lost) && words.skip(" lost") &&
         words.rest().empty();
}

void read_loss(std::string_view comment, Account& account) {
  Scan words(comment);
  std::uint64_t count = 0;
  if (!words.number(count) || !words.skip(" lost: ")) return;
  for (const LossReason& reason : loss_reasons) {
    if (words.skip(reason.words)) account.*reason.count = count;
  }
}

// Our own comments that say where and when the run was and, before that, its title.
void read_place(const std::vector<std::string_view>& comments, RunInfo& run) {
  static constexpr std::string_view clock = " UTC";
  const auto told = std::ranges::find_if(comments, [](std::string_view comment) {
    return comment.starts_with(pprof::place_comment) && comment.ends_with(clock);
  });
  if (told == comments.end() || told == comments.begin()) return;
  const std::string_view place = told->substr(pprof::place_comment.size());
  if (const auto end = place.rfind(", "); end != place.npos) run.host = place.substr(0, end);
  run.heading = *(told - 1);
}

}  // namespace

PprofValues::PprofValues(const PprofFile& file) : file_(file) {
  if (file.sample_types.empty()) throw Error("it declares no type of values, so it is no pprof profile");
  choose();
  const auto period = static_cast<std::uint64_t>(std::max<std::int64_t>(file.period, 0));
  are_samples_ = count_ == shown_;
  bool are_periods = count_ && !are_samples_ && period != 0 && is_time() && file.period_type.unit == "nanoseconds";
  file.each_sample([&](const PprofFile::Sample& sample) {
    const std::int64_t shown = sample.values[shown_];
    const std::int64_t count = count_ ? sample.values[*count_] : 0;
    if (shown < 0 || count < 0) {
      throw Error("it has negative values, as in a difference of two profiles, which is none");
    }
    std::uint64_t product = 0;
    const bool is_too_large = __builtin_mul_overflow(static_cast<std::uint64_t>(count), period, &product);
    are_periods = are_periods && !is_too_large && product == static_cast<std::uint64_t>(shown);
  });
  are_samples_ |= are_periods;
}

void PprofValues::choose() {
  const auto& types = file_.sample_types;
  shown_ = types.size() - 1;
  if (!file_.default_sample_type.empty()) {
    const auto named = std::ranges::find(types, file_.default_sample_type, &PprofFile::ValueType::type);
    if (named != types.end()) shown_ = static_cast<std::size_t>(named - types.begin());
  }
  // In "alloc_objects alloc_space inuse_objects inuse_space" the count stands just before the value that it belongs to.
  for (std::size_t i = shown_; i-- > 0 && !count_;) {
    if (is_count(types[i])) count_ = i;
  }
  for (std::size_t i = shown_; i < types.size() && !count_; ++i) {
    if (is_count(types[i])) count_ = i;
  }
}

void PprofValues::describe(RunInfo& run) const {
  const auto& types = file_.sample_types;
  const auto period = static_cast<std::uint64_t>(std::max<std::int64_t>(file_.period, 0));
  run.event = types[shown_].type;
  run.frequency_hz = 0;
  run.period_events = 0;
  if (count_) run.counted = types[*count_].type;
  if (are_samples_) {
    run.unit = is_time() ? word_of(Unit::samples) : run.event;
    if (period == 0 || !is_time()) return;
    const auto rate = static_cast<std::uint64_t>(std::llround(1e9 / static_cast<double>(period)));
    const bool is_rate =
        rate != 0 && static_cast<std::uint64_t>(std::llround(1e9 / static_cast<double>(rate))) == period;
    (is_rate ? run.frequency_hz : run.period_events) = is_rate ? rate : period;
    return;
  }
  run.unit = is_count(types[shown_]) ? types[shown_].type : types[shown_].unit;
  if (run.unit.word().empty()) run.unit = Unit::samples;
  // A period of 1 means that there is no period.
  if (file_.period_type.type != types[shown_].type || period <= 1) return;
  if (run.unit == Unit::microseconds) {
    if (period < UINT64_MAX / 1000) run.period_events = period * 1000;  // in nanoseconds
  } else {
    run.period_events = period;
  }
}

bool read_own_comments(const PprofFile& file, RunInfo& run, Account& account) {
  const auto& comments = file.comments;
  for (std::size_t i = 1; i < comments.size(); ++i) {
    Account read;
    std::uint64_t lost = 0;
    if (!read_account(comments[i], read, lost)) continue;
    for (std::size_t j = i + 1; j < comments.size(); ++j) read_loss(comments[j], read);
    if (read.lost() < lost) read.lost_unread += lost - read.lost();
    if (!read.balanced()) return false;
    account = read;
    run.headline = comments[i - 1];
    read_place(comments, run);
    return true;
  }
  return false;
}

void read_own_names(const PprofFile& file, RunInfo& run) {
  for (const std::string_view comment : file.comments) {
    RunInfo told;
    told.event.clear();
    if (!read_header_line(comment, told)) continue;
    if (pprof::identifier(told.unit.word()) != pprof::identifier(run.unit.word())) return;
    run.unit = told.unit;
    // The header of a sum of files has no event but the unit.
    const bool is_event = !told.event.empty() && told.event != told.unit.word();
    if (is_event || pprof::identifier(told.event) == run.event) run.event = told.event;
    return;
  }
}

bool has_read_ends(const PprofFile& file) {
  return std::ranges::any_of(file.comments, [](std::string_view comment) {
    Scan words(comment);
    std::uint64_t count = 0;
    return words.number(count) && words.skip(pprof::whole_comment) && words.rest().empty();
  });
}

std::vector<std::uint64_t> read_moved(const PprofFile& file) {
  std::vector<std::uint64_t> starts;
  for (const std::string_view comment : file.comments) {
    Scan words(comment);
    if (!words.skip(pprof::moved_comment)) continue;
    for (std::uint64_t start = 0; words.skip(" 0x") && words.number(start, 16);) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace profile
