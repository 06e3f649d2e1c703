// A function is a name and its module; lines and processes do not matter. Each frame is looked up once, so a row costs
// one step per frame.
#include "output/hottest.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "model/run_words.h"
#include "output/blamed_frame.h"
#include "output/clean_text.h"
#include "output/shown_frame.h"
#include "output/tables.h"
#include "output/text_cells.h"
#include "output/text_table.h"

namespace profile {
namespace {

// A longer name would push the module off the screen.
constexpr std::size_t widest_name = 60;

// The rows that count in the summary. A kernel thread waits for work all the time.
class ListedRows {
 public:
  explicit ListedRows(const Profile& profile)
      : is_left_out_(profile.processes().size()), is_wall_(profile.run.event == measures::wall.event) {
    if (!profile.thread_waits) return;
    const BlockingThreads threads = blocking_threads(profile);
    is_asleep_ = threads.asleep_ns != 0;
    if (threads.left_out_ns == 0) return;
    std::unordered_set<std::uint32_t> of_kernel;
    for (const ThreadWait& thread : *profile.thread_waits) {
      if (thread.is_kernel_thread && thread.tgid != 0) of_kernel.insert(thread.tgid);
    }
    for (std::size_t i = 0; i < is_left_out_.size(); ++i) {
      is_left_out_[i] = of_kernel.contains(profile.processes()[i].tgid);
    }
  }

  [[nodiscard]] bool has(const Profile& profile, const Row& row) const {
    if (!is_left_out_[static_cast<std::size_t>(row.process)]) return true;
    return is_wall_ && profile.strings.view(row.tag) != off_cpu_tag;
  }
  [[nodiscard]] std::uint64_t total(const Profile& profile) const {
    std::uint64_t sum = 0;
    for (const Row& row : profile.rows()) sum += has(profile, row) ? row.value : 0;
    return sum;
  }
  // What the total is made of, where the sum of the threads' list is another. Empty: it is the same.
  [[nodiscard]] std::string difference(const Profile& profile) const {
    std::string text;
    if (!profile.thread_waits) return text;
    if (is_wall_) text += ", on a CPU and off";
    if (is_asleep_) text += ", with the threads that never woke up";
    if (std::ranges::find(is_left_out_, true) != is_left_out_.end()) text += "; waits of kernel threads are left out";
    return text;
  }

 private:
  std::vector<bool> is_left_out_;  // by ProcessId
  bool is_wall_;                   // the other rows are of time on a CPU
  bool is_asleep_ = false;         // the list of threads tells some apart
};

enum class Which : std::uint8_t {
  all,
  of_scripts  // a row belongs to the innermost one, whatever that calls
};

class Functions {
 public:
  explicit Functions(const Profile& profile, Which which = Which::all, const ListedRows* listed = nullptr)
      : profile_(profile), which_(which), listed_(listed) {
    shown_of_.reserve(profile.frames().size() + 1);
    for (std::size_t i = 0; i < profile.frames().size(); ++i) {
      shown_of_.push_back(shown_.size());
      show(static_cast<FrameId>(i));
    }
    shown_of_.push_back(shown_.size());
  }

  std::vector<HotFunction> counted() && {
    for (const Row& row : profile_.rows()) {
      if (listed_ != nullptr && !listed_->has(profile_, row)) continue;
      which_ == Which::all ? count(row) : count_scripts(row);
    }
    std::erase_if(functions_, [](const HotFunction& function) { return function.total == 0; });
    std::sort(functions_.begin(), functions_.end(), [](const HotFunction& a, const HotFunction& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return std::tie(a.name, a.module) < std::tie(b.name, b.module);
    });
    return std::move(functions_);
  }

 private:
  std::size_t function(std::string name, std::string module) {
    const auto [found, is_new] = numbers_.try_emplace({name, module}, functions_.size());
    if (is_new) {
      functions_.push_back({.name = std::move(name), .module = std::move(module)});
      counted_at_.push_back(0);
    }
    return found->second;
  }

  void show(FrameId id) {
    const std::string module = clean_text(code_file_name(profile_, profile_.frame(id)));
    for_each_shown(profile_, id, [&](const ShownFrame& one) {
      std::string name;
      append_function(name, profile_, one, Semicolon::keep);
      shown_.push_back(function(std::move(name), module));
    });
  }

  void count(const Row& row) {
    ++row_number_;
    above_blamed_ = blamed_place(profile_, row);
    for (const ShownPart& part : shown_parts(profile_, row)) {
      if (part.stack == StackId::none) meet(function(clean_text(part.text), {}), row.value);
      for (const FrameId id : profile_.stack(part.stack)) {
        const auto frame = static_cast<std::size_t>(id);
        for (std::size_t at = shown_of_[frame]; at != shown_of_[frame + 1]; ++at) meet(shown_[at], row.value);
      }
    }
    if (above_blamed_ == 0) meet(function(std::string(no_stack_name), {}), row.value);
  }

  void count_scripts(const Row& row) {
    ++row_number_;
    above_blamed_ = 0;
    for (const FrameId id : profile_.stack(row.user)) {
      if (profile_.frame(id).kind == FrameKind::script)
        meet(shown_[shown_of_[static_cast<std::size_t>(id)]], row.value);
    }
  }

  // Call it from the leaf on. A function that occurs several times in a row counts once in its total.
  void meet(std::size_t number, std::uint64_t value) {
    HotFunction& function = functions_[number];
    if (above_blamed_-- == 0) function.self += value;
    if (std::exchange(counted_at_[number], row_number_) != row_number_) function.total += value;
  }

  const Profile& profile_;
  Which which_;
  const ListedRows* listed_;  // nullptr: all rows
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::vector<HotFunction> functions_;
  std::vector<std::uint64_t> counted_at_;  // by function: number of the last row that has it; 0: none
  std::vector<std::size_t> shown_;         // functions of frames; those of one frame are together, leaf first
  std::vector<std::size_t> shown_of_;      // by FrameId: index of its first function in shown_; then the end
  std::uint64_t row_number_ = 0;
  // How many functions of the row come before the one that it is blamed on; SIZE_MAX and less when it has been met.
  std::size_t above_blamed_ = 0;
};

// How the values of a table are written. Times have the unit that makes their sum short.
class Amounts {
 public:
  Amounts(const RunUnit& unit, std::span<const HotFunction> functions, std::uint64_t whole)
      : word_(clean_text(unit.word())) {
    if (unit != Unit::microseconds && unit != Unit::nanoseconds) return;
    ns_ = unit == Unit::microseconds ? 1000 : 1;
    std::vector<double> times_ns{ns_ * static_cast<double>(whole)};
    for (const HotFunction& function : functions) {
      for (const std::uint64_t value : {function.self, function.total}) {
        times_ns.push_back(ns_ * static_cast<double>(value));
      }
    }
    time_ = time_unit(times_ns);
    word_ = time_->name;
  }

  [[nodiscard]] const std::string& unit() const { return word_; }
  [[nodiscard]] std::string text(std::uint64_t value) const {
    return time_ ? time_->text(ns_ * static_cast<double>(value)) : std::to_string(value);
  }

 private:
  std::string word_;
  double ns_ = 1;  // of a value of 1
  std::optional<TimeUnit> time_;
};

void cut_names(std::vector<HotFunction>& functions) {
  for (HotFunction& function : functions) {
    function.name = cut_to_cells(function.name, widest_name);
    function.module = cut_to_cells(function.module, widest_name);
  }
}

std::uint64_t sum_of_selves(std::span<const HotFunction> functions) {
  std::uint64_t sum = 0;
  for (const HotFunction& function : functions) sum += function.self;
  return sum;
}

Amounts write_table(std::ostream& out, const RunUnit& unit, std::span<const HotFunction> functions, std::size_t most,
                    bool with_modules, std::uint64_t whole) {
  constexpr double of_least_share = 2000;  // 0.05 %: percent() shows less as 0.0 %
  const auto has_share = [whole](const HotFunction& function) {
    return of_least_share * static_cast<double>(function.self) >= static_cast<double>(whole);
  };
  const auto end_of_shares = std::ranges::find_if_not(functions, has_share);
  const auto shared = static_cast<std::size_t>(end_of_shares - functions.begin());
  const std::size_t shown = std::min({most, functions.size(), std::max<std::size_t>(shared, 1)});
  Amounts amounts(unit, functions.first(shown), whole);
  out << top_of(shown, functions.size(), "function") << ", in " << amounts.unit() << '\n';
  std::vector<TextTable::Column> columns = {{"SELF"}, {"SHARE"}, {"TOTAL"}, {"SHARE"}};
  columns.push_back({"FUNCTION", TextTable::Align::left});
  if (with_modules) columns.push_back({"MODULE", TextTable::Align::left});
  TextTable table(std::move(columns));
  for (const HotFunction& function : functions.first(shown)) {
    std::vector<std::string> cells = {amounts.text(function.self), percent(function.self, whole),
                                      amounts.text(function.total), percent(function.total, whole), function.name};
    if (with_modules) cells.push_back(function.module);
    table.add(std::move(cells));
  }
  table.write(out);
  return amounts;
}

// Most of what a script costs is in functions of its interpreter and of libraries, which do not say what to change. If
// these hide the script's own functions among the first `most` of `all`, their table follows.
void add_script_lines(const Profile& profile, std::span<const HotFunction> all, const ListedRows& listed,
                      std::size_t most, std::vector<std::string>& lines) {
  std::vector<HotFunction> scripts = Functions(profile, Which::of_scripts, &listed).counted();
  if (scripts.empty()) return;
  cut_names(scripts);
  const auto is_shown = [&](const HotFunction& script) {
    return std::ranges::any_of(all.first(std::min(most, all.size())), [&](const HotFunction& function) {
      return function.name == script.name && function.module == script.module && function.self >= script.self / 2;
    });
  };
  const std::uint64_t whole = listed.total(profile);
  if (sum_of_selves(scripts) < whole / 20 || is_shown(scripts.front())) return;
  std::ostringstream out;
  write_table(out, profile.run.unit, scripts, std::min<std::size_t>(most, 5), true, whole);
  std::istringstream in(std::move(out).str());
  std::size_t number = lines.size();
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  lines[number] += ", of scripts: SELF is with what they call outside of the script";
}

}  // namespace

std::vector<HotFunction> hottest_functions(const Profile& profile) { return Functions(profile).counted(); }

void write_function_table(std::ostream& out, const RunUnit& unit, std::span<const HotFunction> functions,
                          std::size_t most, bool with_modules, std::uint64_t whole) {
  write_table(out, unit, functions, most, with_modules, whole);
}

std::vector<std::string> hottest_lines(const Profile& profile, std::size_t most) {
  const ListedRows listed(profile);
  std::vector<HotFunction> functions = Functions(profile, Which::all, &listed).counted();
  if (functions.empty()) return {};
  cut_names(functions);
  const std::uint64_t whole = listed.total(profile);
  std::ostringstream out;
  const Amounts amounts = write_table(out, profile.run.unit, functions, most, true, whole);
  std::vector<std::string> lines;
  const auto is_blamed = [&](const Row& row) { return is_blamed_on_caller(profile, row); };
  const bool names_callers = std::ranges::any_of(profile.rows(), is_blamed);
  std::istringstream in(std::move(out).str());
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  if (names_callers)
    lines.front() += ": SELF is of the first frame outside kernel, C library, allocator and interpreter";
  if (const std::string difference = listed.difference(profile); !difference.empty()) {
    lines.push_back("all together " + amounts.text(whole) + ' ' + amounts.unit() + difference);
  }
  add_script_lines(profile, functions, listed, most, lines);
  return lines;
}

}  // namespace profile
