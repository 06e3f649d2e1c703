// The file format of https://www.speedscope.app, as its file-format-schema.json describes it. The first profile has
// everything, with the processes at the root; behind it stand the largest processes by themselves, with their threads
// at the root, for speedscope lets people choose among the profiles of a file.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/formats.h"
#include "output/header.h"
#include "output/json_writer.h"
#include "output/speedscope_stacks.h"

namespace profile {
namespace {

using Number = SpeedscopeStacks::Number;

// Its words for units; it shows other values without one.
std::string_view unit_of(const RunInfo& run) {
  if (run.unit == "microseconds" || run.unit == "bytes") return run.unit;
  return "none";
}

class Document {
 public:
  Document(std::ostream& out, const Profile& profile, std::size_t top)
      : json_(out), profile_(profile), top_(top), stacks_(profile) {}

  void write() {
    json_.begin_object();
    json_.member("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.member("exporter", "profile");
    json_.member("name", title_of(profile_.run));
    json_.member("activeProfileIndex", 0);
    write_frames();
    json_.begin_array("profiles");
    write_profiles();
    json_.end_array();
    json_.end_object();
    json_.end_document();
  }

 private:
  void write_frames() {
    json_.begin_object("shared");
    json_.begin_array("frames");
    for (const SpeedscopeStacks::Shown& frame : stacks_.frames()) {
      json_.begin_object();
      json_.member("name", frame.name);
      if (!frame.file.empty()) json_.member("file", frame.file);
      if (frame.line != 0) json_.member("line", frame.line);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
  }

  void write_profiles() {
    std::unordered_map<Number, std::uint64_t> totals;
    std::vector<SpeedscopeStacks::Weighed> rows;
    for (std::uint32_t row = 0; row < profile_.rows().size(); ++row) {
      const std::uint64_t value = profile_.rows()[row].value;
      rows.push_back({.owner = stacks_.process_of(row), .row = row, .value = value});
      totals[stacks_.process_of(row)] += value;
    }
    write_profile("all processes", rows);
    if (totals.size() < 2) return;
    std::vector<std::pair<Number, std::uint64_t>> largest(totals.begin(), totals.end());
    std::sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (largest.size() > top_) largest.resize(top_);
    for (const auto& [process, total] : largest) {
      rows.clear();
      for (std::uint32_t row = 0; row < profile_.rows().size(); ++row) {
        if (stacks_.process_of(row) != process) continue;
        rows.push_back({.owner = stacks_.thread_of(row), .row = row, .value = profile_.rows()[row].value});
      }
      write_profile(stacks_.frames()[process].name, rows);
    }
  }

  // Sorts and merges `rows`.
  void write_profile(std::string_view name, std::vector<SpeedscopeStacks::Weighed>& rows) {
    stacks_.sort_and_merge(rows);
    std::uint64_t total = 0;
    json_.begin_object();
    json_.member("type", "sampled");
    json_.member("name", name);
    json_.member("unit", unit_of(profile_.run));
    json_.begin_array("samples");
    std::vector<Number> numbers;
    for (const SpeedscopeStacks::Weighed& row : rows) {
      total += row.value;
      numbers.assign(1, row.owner);
      stacks_.append(row.row, numbers);
      json_.begin_array();
      for (const Number number : numbers) json_.value(number);
      json_.end_array();
    }
    json_.end_array();
    json_.begin_array("weights");
    for (const SpeedscopeStacks::Weighed& row : rows) json_.value(row.value);
    json_.end_array();
    json_.member("startValue", 0);
    json_.member("endValue", total);
    json_.end_object();
  }

  JsonWriter json_;
  const Profile& profile_;
  std::size_t top_;
  SpeedscopeStacks stacks_;
};

class Speedscope final : public Output {
 public:
  explicit Speedscope(const OutputOptions& options) : top_(options.top) {}

  void report(std::ostream& out, const Profile& profile) const override { Document(out, profile, top_).write(); }

 private:
  std::size_t top_;
};

}  // namespace

std::unique_ptr<Output> make_speedscope(const OutputOptions& options) { return std::make_unique<Speedscope>(options); }

}  // namespace profile
