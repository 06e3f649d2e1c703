#include "app/output_options.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "files/path_pattern.h"
#include "support/ascii.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/nearest_names.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// The pictures of a film; nullopt if no film is asked for.
std::optional<OutputRequest> film_of(const ParsedOptions& parsed) {
  if (!parsed.is_on("film") && !parsed.has("frames")) return std::nullopt;
  const std::string path = parsed.has("frames") ? parsed.text("frames") : "flamegraph%04d.png";
  if (path.empty() || path == "-") throw bad_value("frames", path.empty() ? "''" : path, "not a file name");
  const OutputFormat* const png = find_output_format("png");
  if (!path.ends_with(png->ending)) throw bad_value("frames", path, "the pictures are PNG: a name that ends in .png");
  const PathPattern pattern(path, "-g");
  if (!pattern.is_numbered()) throw bad_value("frames", path, "no running number in it, as in flamegraph%04d.png");
  return OutputRequest{.path = path, .format = png, .is_film = true, .makes_directory = true};
}

// The ending of a file name, from its last dot on, if a letter follows the dot. A number or the % of a pattern is not
// an ending, and neither is the name of a hidden file.
std::string_view ending_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size() || !is_letter(name[dot + 1])) return {};
  return name.substr(dot);
}

// Refuses an ending that no format has: it is more often a typing error than a wish for text.
[[noreturn]] void refuse_ending(const std::string& path, std::string_view ending) {
  if (path.ends_with(".db.gz"))
    throw bad_value("output", path, "a recording is not compressed: profile record -o x.db");
  std::vector<std::string> endings;
  for (const OutputFormat& format : output_formats()) endings.emplace_back(format.ending);
  throw bad_value("output", path,
                  "no format has the ending " + std::string(ending) +
                      suggestion("; ", nearest_names(ending, std::move(endings))) +
                      "; --format chooses for a file of any name");
}

PictureSize size_of(const std::string& typed) {
  std::string_view rest = typed;
  const auto width = parse_number<unsigned>(take_until(rest, 'x'));
  const auto height = parse_number<unsigned>(rest);
  if (!width || !height) throw bad_value("size", typed.empty() ? "''" : typed, "not WIDTHxHEIGHT, as in 1280x720");
  const bool fits = *width >= least_picture_width && *width <= greatest_picture_size &&
                    *height >= least_picture_height && *height <= greatest_picture_size;
  if (!fits) {
    throw bad_value("size", typed,
                    "not from " + std::to_string(least_picture_width) + "x" + std::to_string(least_picture_height) +
                        " to " + std::to_string(greatest_picture_size) + "x" + std::to_string(greatest_picture_size));
  }
  return {.width = *width, .height = *height};
}

}  // namespace

std::vector<OutputRequest> outputs_of(const ParsedOptions& parsed, std::vector<std::string> paths,
                                      std::string_view default_format, bool for_stdout) {
  const OutputFormat* forced = nullptr;
  if (const auto format = parsed.choice("format")) forced = &output_formats()[*format];
  // -f and -r set the format of stdout and of files whose ending names no format; --format overrides endings too.
  const OutputFormat* fallback = find_output_format(default_format);
  if (parsed.is_on("folded")) fallback = find_output_format("folded");
  if (parsed.is_on("residency")) fallback = find_output_format("residency");

  std::vector<OutputRequest> requests;
  const auto film = film_of(parsed);
  const bool is_asked_for = forced != nullptr || parsed.is_on("folded") || parsed.is_on("residency");
  if (paths.empty() && (is_asked_for || (for_stdout && !film))) paths.emplace_back("-");
  for (const std::string& path : paths) {
    if (path.empty()) throw bad_value("output", "''", "not a file name");
    if (std::ranges::count(requests, path, &OutputRequest::path) != 0) throw bad_value("output", path, "given twice");
    const OutputFormat* by_ending = output_format_of_path(path);
    const std::string_view ending = ending_of(is_gzip_path(path) ? path.substr(0, path.find_last_of('.')) : path);
    if (by_ending == nullptr && !ending.empty() && !is_asked_for) refuse_ending(path, ending);
    requests.push_back({.path = path,
                        .format = forced != nullptr      ? forced
                                  : by_ending != nullptr ? by_ending
                                                         : fallback,
                        .is_gzipped = path != "-" && is_gzip_path(path),
                        .makes_directory = path != "-" && PathPattern(path).is_pattern()});
  }
  const auto is_picture = [](const OutputRequest& request) { return request.format->graph == Graph::picture; };
  if (parsed.has("size") && !film && std::ranges::none_of(requests, is_picture)) {
    throw usage_error("--size is for pictures, and none is asked for: -o FILE.png, -o FILE.svg or -g");
  }
  if (film) {
    const bool twice = std::find(paths.begin(), paths.end(), film->path) != paths.end();
    if (twice) throw bad_value("output", film->path, "given twice: it is the name of the film's pictures");
    requests.push_back(*film);
  }
  return requests;
}

Readers readers_of(const OutputFormat& format, const OutputOptions& options) {
  const bool shows_times = options.has_times && format.graph == Graph::page;
  return has_addresses(format, options) || shows_times ? Readers::owner : Readers::anyone;
}

std::string only_path(const std::string& path) {
  if (path == "-") return path;
  return PathPattern(path).expand(monotonic_ns() + unix_offset_ns(), 1).whole();
}

std::string path_of_event(const std::string& path, std::string_view event) {
  std::string name(event);
  for (char& c : name) {
    if (c == '/' || c == '%') c = '_';
  }
  const OutputFormat* const format = output_format_of_path(path);
  std::size_t at = path.size();
  if (is_gzip_path(path)) at -= std::string_view(".gz").size();
  if (format != nullptr && path.substr(0, at).ends_with(format->ending)) at -= format->ending.size();
  return path.substr(0, at) + "." + name + path.substr(at);
}

OutputOptions output_options_of(const ParsedOptions& parsed) {
  OutputOptions output;
  output.show_modules = parsed.is_on("modules");
  output.delimited = parsed.is_on("delimited");
  output.annotate = parsed.is_on("annotations");
  output.show_addresses = parsed.is_on("address");
  if (parsed.has("size")) output.picture = size_of(parsed.text("size"));
  if (!parsed.text("top").empty()) output.top = parsed.number("top", output.top, UINT32_MAX);
  return output;
}

void check_outputs(std::span<const OutputRequest> outputs, bool repeated, bool keep) {
  bool any_pattern = false;
  for (const OutputRequest& output : outputs) {
    const bool is_file = output.path != "-";
    const bool is_pattern = is_file && PathPattern(output.path).is_pattern();
    any_pattern = any_pattern || is_pattern;
    const std::string format(output.format->name);
    if (repeated && output.format->one_report && !is_pattern) {
      const std::string what =
          "a file in the format " + format + " holds one report, and there is one an interval (-i, -E); ";
      throw usage_error(is_file
                            ? "-o " + output.path + ": " + what +
                                  "put a time or a number in its name, as in cpu-%H%M%S or cpu-%04d"
                            : what + "-o can name a file for each, as cpu-%H%M%S" + std::string(output.format->ending));
    }
    if (output.format->is_binary && !is_file && ::isatty(STDOUT_FILENO) == 1) {
      throw usage_error("--format " + format + ": not to a terminal");
    }
  }
  if (keep && !any_pattern) {
    throw usage_error("--keep is for files whose name has a time or a number in it, as in -o cpu-%H%M%S.pb.gz");
  }
}

void require_page(std::span<const OutputRequest> outputs) {
  if (std::ranges::none_of(outputs, is_page)) throw usage_error("--sources is for pages: -o FILE.html");
}

}  // namespace profile
