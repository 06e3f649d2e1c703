#include "app/recording_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/output_options.h"
#include "output/output.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// A second of a busy machine takes up to some megabytes.
constexpr std::uint64_t least_bytes = 8 << 20;
constexpr double longest_s = 10 * 366 * 86400.0;

struct UnitRow {
  std::string_view word;
  double factor;
};
constexpr UnitRow sizes[] = {{"", 1}, {"K", 1024}, {"M", 1024 * 1024}, {"G", 1024.0 * 1024 * 1024}};
constexpr UnitRow times[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};

// A number with one of these units behind it. nullopt: the text is anything else.
template <std::size_t Count>
std::optional<double> amount_of(std::string_view text, const UnitRow (&units)[Count]) {
  const auto number = take_number<double>(text, std::chars_format::fixed);
  const auto* const unit = std::ranges::find(units, text, &UnitRow::word);
  if (!number || unit == std::end(units) || !std::isfinite(*number) || *number <= 0) return std::nullopt;
  return *number * unit->factor;
}

bool is_number_of_files(const std::string& typed) { return parse_number<std::uint64_t>(typed).has_value(); }

}  // namespace

std::string take_recording_path(std::vector<std::string>& paths, bool is_record) {
  const auto is_recording = [](const std::string& path) { return path.ends_with(recording_ending); };
  auto found = std::ranges::find_if(paths, is_recording);
  if (found == paths.end() && is_record) {
    found = std::ranges::find_if(
        paths, [](const std::string& path) { return path == "-" || output_format_of_path(path) == nullptr; });
  }
  if (found == paths.end()) return is_record ? "profile" + std::string(recording_ending) : "";
  const std::string path = *found;
  paths.erase(found);
  if (path.empty()) throw bad_value("output", "''", "not a file name");
  if (path == "-") throw bad_value("output", path, "a recording needs a file");
  if (std::ranges::any_of(paths, is_recording)) throw bad_value("output", path, "a run makes one recording");
  return only_path(path);
}

std::uint64_t size_in_bytes(const ParsedOptions& parsed, const char* option, std::uint64_t least,
                            std::string_view least_words) {
  const std::string typed = parsed.text(option);
  const auto bytes = amount_of(typed, sizes);
  if (!bytes || *bytes >= 0x1p63) throw bad_value(option, typed, "not a size like 500M or 2G");
  if (*bytes < static_cast<double>(least)) throw bad_value(option, typed, "less than " + std::string(least_words));
  return static_cast<std::uint64_t>(*bytes);
}

RecordingLimits recording_limits_of(const ParsedOptions& parsed) {
  RecordingLimits limits;
  if (parsed.has("max-size")) {
    limits.max_bytes = size_in_bytes(parsed, "max-size", least_bytes, "8M");
  }
  if (parsed.has("keep") && !is_number_of_files(parsed.text("keep"))) {
    const std::string typed = parsed.text("keep");
    const auto seconds = amount_of(typed, times);
    if (!seconds || *seconds > longest_s) {
      throw bad_value("keep", typed, "neither a number of files nor a time of a recording like 30m or 24h");
    }
    limits.keep_s = *seconds;
  }
  return limits;
}

std::optional<std::uint64_t> files_to_keep(const ParsedOptions& parsed) {
  if (!parsed.has("keep") || !is_number_of_files(parsed.text("keep"))) return std::nullopt;
  return parsed.number("keep", 0, UINT32_MAX);
}

}  // namespace profile
