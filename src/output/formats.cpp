// The one table of formats. --help, --format, the endings of -o and the "unknown format" error read it.
#include "output/output.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "output/timed.h"
#include "support/ascii.h"

namespace profile {

// Each function is in the file of its name in formats/. A format is only that file and its row in the table.
Output make_counted(const OutputOptions& options);
Output make_folded(const OutputOptions& options);
Output make_residency(const OutputOptions& options);
Output make_table(const OutputOptions& options);
Output make_csv(const OutputOptions& options);
Output make_html(const OutputOptions& options);
Output make_svg(const OutputOptions& options);
Output make_png(const OutputOptions& options);
Output make_pprof(const OutputOptions& options);
Output make_speedscope(const OutputOptions& options);
Output make_perf_script(const OutputOptions& options);
Output make_json(const OutputOptions& options);
std::unique_ptr<TimedOutput> make_timed_speedscope(const OutputOptions& options);
std::unique_ptr<TimedOutput> make_timed_perf_script(const OutputOptions& options);
std::unique_ptr<TimedOutput> make_firefox(const OutputOptions& options);
std::unique_ptr<TimedOutput> make_perfetto(const OutputOptions& options);

namespace {

// Readable names for the boolean columns of the table.
constexpr bool many = false;
constexpr bool one = true;
constexpr bool text = false;
constexpr bool binary = true;
constexpr bool frames = false;  // as which wakers are written
constexpr bool data = true;
constexpr std::string_view by_browser = "open it in a browser";

constexpr OutputFormat formats[] = {
    {"counted", ".txt", "stacks line by line with their counts, the hottest last", Shows::stacks_and_tables, many, text,
     Addresses::if_shown, Graph::none, frames, "", make_counted},
    {"folded", ".folded", "one line a stack, root first, for flame graphs", Shows::stacks, many, text, Addresses::none,
     Graph::none, frames, "", make_folded},
    {"residency", ".residency", "each stack's share of its process, the largest first", Shows::stacks, many, text,
     Addresses::none, Graph::none, frames, "", make_residency},
    {"table", ".table", "tables: what was measured besides stacks, or the functions", Shows::tables, many, text,
     Addresses::none, Graph::none, data, "", make_table},
    {"csv", ".csv", "the same tables for spreadsheets, with all their rows", Shows::tables, many, text, Addresses::none,
     Graph::none, data, "", make_csv},
    {"html", ".html", "a flame graph to look around in with a browser, in one file", Shows::stacks, one, text,
     Addresses::none, Graph::page, frames, by_browser, make_html},
    {"svg", ".svg", "a flame graph as a picture with text and tooltips", Shows::stacks, one, text, Addresses::none,
     Graph::picture, frames, by_browser, make_svg},
    {"png", ".png", "a flame graph as a picture", Shows::stacks, one, binary, Addresses::none, Graph::picture, frames,
     by_browser, make_png},
    {"pprof", ".pb.gz", "what `go tool pprof` and its like read", Shows::stacks, one, binary, Addresses::always,
     Graph::none, data, "go tool pprof -http : % shows it", make_pprof},
    {"speedscope", ".speedscope.json", "what https://www.speedscope.app shows", Shows::stacks, one, text,
     Addresses::none, Graph::none, frames, "open it at https://www.speedscope.app", make_speedscope,
     make_timed_speedscope},
    {"perf-script", ".perf", "what `perf script` prints, for the many tools that read it", Shows::stacks, many, text,
     Addresses::always, Graph::none, frames, "profiler.firefox.com and www.speedscope.app open it", make_perf_script,
     make_timed_perf_script},
    {"firefox", ".firefox.json", "each sample in its time, for https://profiler.firefox.com", Shows::stacks, one, text,
     Addresses::always, Graph::none, frames, "open it at https://profiler.firefox.com", nullptr, make_firefox},
    {"perfetto", ".pftrace", "the same for https://ui.perfetto.dev and trace_processor", Shows::stacks, one, binary,
     Addresses::always, Graph::none, frames, "open it at https://ui.perfetto.dev", nullptr, make_perfetto},
    {"json", ".json", "one JSON document a report, with everything there is", Shows::everything, many, text,
     Addresses::always, Graph::none, data, "", make_json},
};

}  // namespace

bool has_addresses(const OutputFormat& format, const OutputOptions& options) {
  return format.addresses == Addresses::always || (format.addresses == Addresses::if_shown && options.show_addresses);
}

std::span<const OutputFormat> output_formats() { return formats; }

const OutputFormat* find_output_format(std::string_view name) {
  const OutputFormat* const found = std::ranges::find(formats, name, &OutputFormat::name);
  return found == std::end(formats) ? nullptr : found;
}

namespace {

constexpr std::string_view gzip_ending = ".gz";

const OutputFormat* format_of_ending(const std::string& path) {
  // Endings that other tools use for the same formats.
  constexpr std::pair<std::string_view, std::string_view> aliases[] = {{".htm", "html"},
                                                                       {".pb", "pprof"},
                                                                       {".pprof", "pprof"},
                                                                       {".prof", "pprof"},
                                                                       {".speedscope", "speedscope"},
                                                                       {".collapsed", "folded"},
                                                                       {".linux-perf.txt", "perf-script"}};
  for (const auto& [ending, name] : aliases) {
    if (path.ends_with(ending)) return find_output_format(name);
  }
  const OutputFormat* found = nullptr;
  for (const OutputFormat& format : formats) {
    if (format.ending.empty() || !path.ends_with(format.ending)) continue;
    // The longest ending wins, because the ending of one format may be the end of another one.
    if (found == nullptr || format.ending.size() > found->ending.size()) found = &format;
  }
  return found;
}

}  // namespace

const OutputFormat* output_format_of_path(std::string_view typed) {
  std::string path = to_lower(typed);
  if (is_gzip_path(path)) path.resize(path.size() - gzip_ending.size());
  return format_of_ending(path);
}

bool is_gzip_path(std::string_view typed) {
  const std::string path = to_lower(typed);
  return path.ends_with(gzip_ending) && format_of_ending(path) == nullptr;
}

}  // namespace profile
