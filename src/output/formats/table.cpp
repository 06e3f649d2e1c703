// What was measured besides stacks, as tables. Without such data it shows a table of the functions in the stacks.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "output/blamed_frame.h"
#include "output/header.h"
#include "output/hottest.h"
#include "output/labelled_rows.h"
#include "output/output.h"
#include "output/tables.h"

namespace profile {
namespace {

// Sorted by name, which has the module if it is shown. All self values add up to the profile's total.
std::vector<HotFunction> functions_in(const Profile& profile, const LabelledRows& rows) {
  std::vector<HotFunction> by_label;
  HotFunction no_stack{.name = std::string(no_stack_name), .module = {}};
  std::vector<Label> frames;
  for (const LabelledRow& row : rows.rows()) {
    rows.frames(row, frames);
    if (frames.empty()) {
      no_stack.self += row.value;
      no_stack.total += row.value;
      continue;
    }
    const std::size_t place = std::min(blamed_place(profile, profile.rows()[row.row]), frames.size() - 1);
    const auto blamed = static_cast<std::size_t>(frames[place]);
    std::sort(frames.begin(), frames.end());
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
    const auto most = static_cast<std::size_t>(frames.back());
    if (by_label.size() <= most) by_label.resize(most + 1);
    by_label[blamed].self += row.value;
    for (const Label frame : frames) {
      HotFunction& function = by_label[static_cast<std::size_t>(frame)];
      if (function.name.empty()) function.name = rows.text(frame);
      function.total += row.value;
    }
  }
  by_label.push_back(no_stack);
  std::erase_if(by_label, [](const HotFunction& function) { return function.total == 0; });
  return by_label;
}

void write_functions(std::ostream& out, const Profile& profile, const OutputOptions& options) {
  const LabelledRows labelled(profile,
                              {.root_first = false, .modules = options.show_modules, .semicolon = Semicolon::keep});
  std::vector<HotFunction> functions = functions_in(profile, labelled);
  if (functions.empty()) {
    out << "Nothing was recorded.\n\n";
    return;
  }
  // Stable, so that functions with equal values stay sorted by name.
  std::stable_sort(functions.begin(), functions.end(), [](const HotFunction& a, const HotFunction& b) {
    return a.self != b.self ? a.self > b.self : a.total > b.total;
  });
  write_function_table(out, profile.run.unit, functions, options.top, false, profile.total());
  out << '\n';
}

}  // namespace

Output make_table(const OutputOptions& options) {
  const auto report = [options](std::ostream& out, const Profile& profile) {
    if (!profile.thread_waits && profile.duration_tables.empty() && !profile.syscalls) {
      write_functions(out, profile, options);
    } else {
      write_tables(out, profile, options.top);
    }
  };
  return {.begin = write_header, .report = report};
}

}  // namespace profile
