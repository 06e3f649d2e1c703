#include "output/process_shares.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/text_cells.h"
#include "output/text_table.h"
#include "support/plural.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::size_t most_shown = 5;
constexpr std::size_t widest_name = 60;  // with --command-lines a name may have a thousand characters

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) words.push_back(take_until(name, ' '));
  return words;
}

// Command lines of one program often begin with the same dozen options, and would be cut before they differ.
class CommandLines {
 public:
  void add(std::string_view name) {
    const std::vector<std::string_view> words = words_of(name);
    if (words.size() < 2) return;
    auto [common, is_new] = common_.try_emplace(words.front(), words.begin(), words.end());
    if (is_new) return;
    const std::set<std::string_view> own(words.begin(), words.end());
    std::erase_if(common->second, [&](std::string_view word) { return !own.contains(word); });
  }
  // The name, with an ellipsis for what all command lines of its program have, if it is too long otherwise.
  [[nodiscard]] std::string shortened(std::string_view name) const {
    const std::vector<std::string_view> words = words_of(name);
    const auto common = words.size() < 2 ? common_.end() : common_.find(words.front());
    std::string text = clean_text(name);
    if (text.size() <= widest_name || common == common_.end()) return cut_to_cells(text, widest_name);
    text = words.front();
    bool is_left_out = false;
    for (const std::string_view word : std::span(words).subspan(1)) {
      const bool was_left_out = std::exchange(is_left_out, common->second.contains(word));
      if (!is_left_out) text.append(" ").append(word);
      if (is_left_out && !was_left_out) text += " ...";
    }
    return cut_to_cells(clean_text(text), widest_name);
  }

 private:
  std::map<std::string_view, std::set<std::string_view>> common_;  // by the first word
};

struct Program {
  std::uint64_t value = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> processes;  // tgid and image
};

}  // namespace

std::string program_shares(const Profile& profile) {
  if (profile.thread_waits) return {};
  std::map<std::string_view, Program> by_name;
  for (const Row& row : profile.rows()) {
    const Process& process = profile.process(row.process);
    Program& program = by_name[profile.strings.view(process.name)];
    program.value += row.value;
    program.processes.emplace(process.tgid, process.image);
  }
  std::vector<std::pair<std::string_view, Program>> programs(by_name.begin(), by_name.end());
  std::erase_if(programs, [](const auto& program) { return program.second.value == 0; });
  if (programs.size() < 2) return {};
  std::ranges::stable_sort(programs, std::ranges::greater(), [](const auto& program) { return program.second.value; });

  CommandLines lines;
  for (const auto& [name, program] : programs) lines.add(name);
  // A build is hundreds of processes of one name, and which of them is slow is asked next.
  constexpr std::size_t many = 3;
  const auto& [first_name, first] = programs.front();
  const bool are_alike = !profile.run.processes_by_name && first.processes.size() >= many &&
                         first.value >= profile.total() / 2 && first_name.find(' ') == std::string_view::npos;

  std::string line = "programs: ";
  const std::uint64_t whole = profile.total();
  const std::size_t shown = programs.size() > most_shown + 1 ? most_shown : programs.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, program] = programs[i];
    line += (i == 0 ? "" : ", ") + percent(program.value, whole) + ' ' + (name.empty() ? "?" : lines.shortened(name));
    if (program.processes.size() > 1) line += " in " + number_of(program.processes.size(), "process", "processes");
  }
  const char* const hint = are_alike ? "; --command-lines tells those of one name apart" : "";
  if (shown == programs.size()) return line + hint;
  std::uint64_t rest = 0;
  for (std::size_t i = shown; i < programs.size(); ++i) rest += programs[i].second.value;
  return line + ", " + percent(rest, whole) + ' ' + number_of(programs.size() - shown, "other") + hint;
}

}  // namespace profile
