// Prints the list of events.
#include <algorithm>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "app/options.h"
#include "sampling/kernel_needs.h"

namespace profile {
namespace {

constexpr std::size_t column = 34;
constexpr std::size_t width = 100;

// Writes `text` from `column` on, in as many lines as it needs. The caller has already filled the first line up to
// there.
void write_wrapped(std::ostream& out, std::string_view text) {
  constexpr std::size_t room = width - column;
  while (text.size() > room) {
    const std::size_t blank = text.rfind(' ', room);
    if (blank == std::string_view::npos) break;
    out << text.substr(0, blank) << '\n' << std::string(column, ' ');
    text.remove_prefix(blank + 1);
  }
  out << text << '\n';
}

void write_event(std::ostream& out, const SourceKind& kind) {
  std::string left = "  " + std::string(kind.name);
  if (!kind.alias.empty()) left += ", " + std::string(kind.alias);
  out << left << (left.size() < column ? std::string(column - left.size(), ' ') : "\n" + std::string(column, ' '));
  write_wrapped(out, kind.summary);
}

void write_reason(std::ostream& out, const std::string& text) {
  out << std::string(column, ' ');
  write_wrapped(out, text);
}

void write_group(std::ostream& out, std::span<const SourceKind> group) {
  std::vector<std::optional<std::string>> reasons;
  reasons.reserve(group.size());
  for (const SourceKind& kind : group) {
    reasons.push_back(kind.missing != nullptr ? kind.missing(kind.name) : std::nullopt);
  }
  const auto is_first = [&](const auto& reason) { return reason == reasons.front(); };
  // A reason that all events of the group share is printed once.
  const bool in_common = group.size() > 1 && reasons.front() && std::all_of(reasons.begin(), reasons.end(), is_first);
  out << group.front().group << ":\n";
  if (in_common) write_reason(out, "none of them here: " + *reasons.front());
  for (std::size_t i = 0; i < group.size(); ++i) {
    write_event(out, group[i]);
    if (reasons[i]) {
      if (!in_common) write_reason(out, "not here: " + *reasons[i]);
      continue;
    }
    for (const auto& [options, reason] : missing_with_options(group[i].name)) {
      std::string text = "not here with ";
      write_reason(out, text.append(options).append(": ").append(reason));
    }
  }
}

}  // namespace

void print_events(std::ostream& out) {
  std::span<const SourceKind> rest = source_kinds();
  while (!rest.empty()) {
    const auto is_of_another = [&](const SourceKind& kind) { return kind.group != rest.front().group; };
    const auto size = static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), is_of_another) - rest.begin());
    write_group(out, rest.first(size));
    rest = rest.subspan(size);
    if (!rest.empty()) out << '\n';
  }
}

}  // namespace profile
