// The default: one block a stack, a line a frame, the hottest block last, right above the prompt.
#include <algorithm>
#include <charconv>
#include <ostream>
#include <string>

#include "output/formats.h"
#include "output/labelled_rows.h"

namespace profile {
namespace {

// "[1, 2]"
template <class Items, class Text>
std::string bracketed(const Items& items, std::string_view separator, Text text) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += separator;
    list += text(item);
  }
  return list + "]";
}

std::string target(const RunInfo& run) {
  const auto number = [](std::uint32_t id) { return std::to_string(id); };
  if (!run.command.empty()) {
    return "COMMAND " + bracketed(run.command, " ", [](const std::string& word) {
             std::string clean;
             append_clean(clean, word, Semicolon::keep);
             return clean;
           });
  }
  if (!run.tgids.empty()) return "PID " + bracketed(run.tgids, ", ", number);
  if (!run.tids.empty()) return "TID " + bracketed(run.tids, ", ", number);
  return "all threads";
}

std::string_view stacks(const RunInfo& run) {
  if (!run.kernel_stacks) return "user";
  return run.user_stacks ? "user + kernel" : "kernel";
}

// "5" and "0.5": the fewest digits that say it, and never an exponent.
std::string plain(double seconds) {
  char digits[400];  // the largest double has 309 before its point
  const auto end = std::to_chars(digits, digits + sizeof digits, seconds, std::chars_format::fixed).ptr;
  return {digits, end};
}

class Counted final : public Output {
 public:
  explicit Counted(const OutputOptions& options) {
    wording_.owner = Wording::Owner::thread_and_tgid;
    wording_.owner_first = false;
    wording_.root_first = false;
    wording_.offsets = true;
    wording_.modules = true;
    wording_.addresses = options.show_addresses;
    wording_.semicolon = Semicolon::keep;
    if (options.delimited) wording_.delimiter = "--";
  }

  void begin(std::ostream& out, const RunInfo& run) const override {
    std::string line = "Sampling at ";
    line += run.frequency_hz != 0 ? std::to_string(run.frequency_hz) + " Hertz"
                                  : "every " + std::to_string(run.period_events) + " events";
    line.append(" of ").append(target(run)).append(" by ").append(stacks(run)).append(" stack");
    if (!run.cpus.empty()) line += " on CPU#" + run.cpus;
    if (run.duration_s) {
      line += " for " + plain(*run.duration_s) + " secs.";
    } else {
      line += run.command.empty() ? "... Hit Ctrl-C to end." : ".";
    }
    out << line << "\n\n";
  }

  void report(std::ostream& out, const Profile& profile) const override {
    const LabelledRows labelled(profile, wording_);
    std::vector<LabelledRow> rows = labelled.rows();
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    std::vector<Label> frames;
    for (const LabelledRow& row : rows) {
      labelled.frames(row, frames);
      for (const Label frame : frames) out << "    " << labelled.text(frame) << '\n';
      out << "    -                " << labelled.text(row.owner) << '\n';
      out << "        " << std::to_string(row.value) << "\n\n";
    }
  }

 private:
  Wording wording_;
};

}  // namespace

std::unique_ptr<Output> make_counted(const OutputOptions& options) { return std::make_unique<Counted>(options); }

}  // namespace profile
