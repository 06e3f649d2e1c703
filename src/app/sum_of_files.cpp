#include <algorithm>
#include <utility>

#include "app/reading.h"
#include "app/weight.h"
#include "model/run_words.h"
#include "support/error.h"

namespace profile {
namespace {

// "a.folded, b.folded and 3 more"
std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

// The sum of files whose samples have the same weight.
struct Alike {
  std::vector<std::string> names;
  Profile sum;

  [[nodiscard]] ReadProfile as_read() && { return {.name = names_of(names), .profile = std::move(sum)}; }
};

bool are_worth_the_same(const RunInfo& a, const RunInfo& b) {
  return a.event.empty() == b.event.empty() && a.unit == b.unit && a.frequency_hz == b.frequency_hz &&
         a.period_events == b.period_events;
}

// True for folded lines, and for samples of an unknown rate.
bool has_unknown_weight(const RunInfo& run) {
  return run.event.empty() || (run.unit == Unit::samples && ns_per_sample(run) == 0);
}

void add(Profile& to, const Profile& more) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(to.total(), more.total(), &sum)) {
    throw Error("report: the values of all files add up to more than 2^64 - 1");
  }
  to.run.is_state = false;          // states of several recordings add up; merge() would let one replace the other
  to.run.is_request_known = false;  // the fields are those of one of them
  to.run.frames_by_line = to.run.frames_by_line && more.run.frames_by_line;
  const bool are_samples_known = to.knows_samples() && more.knows_samples();
  to.merge(more);
  if (!are_samples_known) to.change_rows([](Row& row) { row.samples = 0; });
}

// Moves the parts of known weight to the front. If there are several of them, and all are time or samples of a known
// rate, they become time.
void agree_on_weight(std::vector<Alike>& parts, const std::function<void(const std::string&)>& note) {
  const auto end_of_known = std::stable_partition(
      parts.begin(), parts.end(), [](const Alike& files) { return !has_unknown_weight(files.sum.run); });
  const auto is_any = [&](auto&& is) { return std::any_of(parts.begin(), end_of_known, is); };
  const bool any_samples = is_any([](const Alike& files) { return ns_per_sample(files.sum.run) != 0; });
  const bool can_be_time = !is_any([](const Alike& files) { return !is_time(files.sum.run); });
  const bool are_converted = end_of_known - parts.begin() > 1 && can_be_time;
  for (auto files = end_of_known; any_samples && files != parts.end(); ++files) {
    if (files->sum.rows().empty()) continue;
    const std::string unknown = "at which rate the samples of " + names_of(files->names) + " were taken is not known";
    if (are_converted) {
      throw Error(unknown + ", and those of " + names_of(parts[0].names) + " and " + names_of(parts[1].names) +
                  " have samples of different weight: they cannot be added up");
    }
    note(unknown + "; each counts as much as one of the others");
  }
  if (!are_converted) return;
  std::for_each(parts.begin(), end_of_known, [](Alike& files) { become_time(files.sum, names_of(files.names)); });
}

}  // namespace

Profile sum_of_files(const std::vector<std::string>& paths, const ReadRequest& request,
                     const std::function<void(const std::string&)>& note) {
  std::vector<std::string> names;
  std::vector<Alike> parts;
  for (const std::string& path : paths) {
    ReadProfile file = read_named(path, request, note);
    names.push_back(file.name);
    note_comparison(file, note);
    if (file.profile.rows().empty()) note("there is no stack in " + file.name);
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const Alike& files) {
      return are_worth_the_same(files.sum.run, file.profile.run);
    });
    if (part == parts.end()) {
      parts.push_back({.names = {file.name}, .sum = std::move(file.profile)});
    } else {
      part->names.push_back(file.name);
      add(part->sum, file.profile);
    }
  }
  agree_on_weight(parts, note);
  ReadProfile sum = std::move(parts.front()).as_read();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    ReadProfile next = std::move(parts[i]).as_read();
    agree_on_unit(sum, next, "added up");
    RunInfo& first = sum.profile.run;
    if (first.frequency_hz != next.profile.run.frequency_hz || first.period_events != next.profile.run.period_events) {
      first.frequency_hz = first.period_events = 0;
    }
    add(sum.profile, next.profile);
  }
  RunInfo& run = sum.profile.run;
  const bool has_header = !run.headline.empty() || run.is_request_known;
  if (names.size() > 1 || !has_header) run.headline = sum_headline(run.unit, names_of(names));
  return std::move(sum.profile);
}

}  // namespace profile
