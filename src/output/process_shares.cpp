#include "output/process_shares.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "output/clean_text.h"
#include "output/text_cells.h"
#include "output/text_table.h"
#include "support/plural.h"

namespace profile {
namespace {

constexpr std::size_t most_shown = 5;
constexpr std::size_t widest_name = 60;  // with --command-lines a name may have a thousand characters

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

  std::string line = "programs: ";
  const std::uint64_t whole = profile.total();
  const std::size_t shown = programs.size() > most_shown + 1 ? most_shown : programs.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, program] = programs[i];
    line += (i == 0 ? "" : ", ") + percent(program.value, whole) + ' ' +
            (name.empty() ? "?" : cut_to_cells(clean_text(name), widest_name));
    if (program.processes.size() > 1) line += " in " + number_of(program.processes.size(), "process", "processes");
  }
  if (shown == programs.size()) return line;
  std::uint64_t rest = 0;
  for (std::size_t i = shown; i < programs.size(); ++i) rest += programs[i].second.value;
  return line + ", " + percent(rest, whole) + ' ' + number_of(programs.size() - shown, "other");
}

}  // namespace profile
