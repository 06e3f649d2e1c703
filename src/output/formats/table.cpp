// What was measured besides stacks, as tables. Without such data it shows a table of the functions in the stacks.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "output/header.h"
#include "output/labelled_rows.h"
#include "output/output.h"
#include "output/tables.h"
#include "output/text_table.h"

namespace profile {
namespace {

struct Function {
  std::string_view name;
  std::uint64_t self = 0;   // sum over the rows that have it as the leaf
  std::uint64_t total = 0;  // sum over the rows that have it; recursion counts once
};

// Sorted by name. All self values add up to the profile's total.
std::vector<Function> functions_in(const LabelledRows& rows) {
  std::vector<Function> by_label;
  Function no_stack{.name = no_stack_name};
  std::vector<Label> frames;
  for (const LabelledRow& row : rows.rows()) {
    rows.frames(row, frames);
    if (frames.empty()) {
      no_stack.self += row.value;
      no_stack.total += row.value;
      continue;
    }
    const auto leaf = static_cast<std::size_t>(frames.front());
    std::sort(frames.begin(), frames.end());
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
    const auto most = static_cast<std::size_t>(frames.back());
    if (by_label.size() <= most) by_label.resize(most + 1);
    by_label[leaf].self += row.value;
    for (const Label frame : frames) {
      Function& function = by_label[static_cast<std::size_t>(frame)];
      function.name = rows.text(frame);
      function.total += row.value;
    }
  }
  by_label.push_back(no_stack);
  std::erase_if(by_label, [](const Function& function) { return function.total == 0; });
  return by_label;
}

class Table final : public Output {
 public:
  explicit Table(const OutputOptions& options) : top_(options.top) {
    wording_.root_first = false;
    wording_.modules = options.show_modules;
    wording_.semicolon = Semicolon::keep;
  }

  void begin(std::ostream& out, const RunInfo& run) const override { write_header(out, run); }

  void report(std::ostream& out, const Profile& profile) const override {
    if (!profile.thread_waits && profile.duration_tables.empty() && !profile.syscalls) {
      write_functions(out, profile);
    } else {
      write_tables(out, profile, top_);
    }
  }

 private:
  void write_functions(std::ostream& out, const Profile& profile) const {
    const LabelledRows labelled(profile, wording_);
    std::vector<Function> functions = functions_in(labelled);
    if (functions.empty()) {
      out << "Nothing was recorded.\n\n";
      return;
    }
    // Stable, so that functions with equal values stay sorted by name.
    std::stable_sort(functions.begin(), functions.end(), [](const Function& a, const Function& b) {
      return a.self != b.self ? a.self > b.self : a.total > b.total;
    });
    const std::size_t shown = std::min(top_, functions.size());
    out << top_of(shown, functions.size(), "function") << ", in " << clean_text(profile.run.unit) << '\n';
    const auto whole = static_cast<double>(profile.total());
    TextTable table({{"SELF"}, {"SHARE"}, {"TOTAL"}, {"SHARE"}, {"FUNCTION", TextTable::Align::left}});
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [name, self, total] = functions[i];
      table.add({std::to_string(self), percent(static_cast<double>(self), whole), std::to_string(total),
                 percent(static_cast<double>(total), whole), std::string(name)});
    }
    table.write(out);
    out << '\n';
  }

  Wording wording_;
  std::size_t top_;
};

}  // namespace

std::unique_ptr<Output> make_table(const OutputOptions& options) { return std::make_unique<Table>(options); }

}  // namespace profile
