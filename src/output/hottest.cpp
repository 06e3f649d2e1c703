// A function is a name and its module; lines and processes do not matter. Each frame is looked up once, so a row costs
// one step per frame.
#include "output/hottest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/run_words.h"
#include "model/wakers.h"
#include "output/blamed_frame.h"
#include "output/clean_text.h"
#include "output/library_code.h"
#include "output/runtime_threads.h"
#include "output/shown_frame.h"
#include "output/tables.h"
#include "output/text_cells.h"
#include "output/text_table.h"

namespace profile {
namespace {

// A longer name would push the module off the screen.
constexpr std::size_t widest_name = 60;
constexpr std::size_t widest_part = 30;
constexpr double of_least_share = 2000;  // 0.05 %: percent() shows less as 0.0 %

// The rows that count in the summary. A kernel thread waits for work all the time.
class ListedRows {
 public:
  explicit ListedRows(const Profile& profile)
      : is_left_out_(profile.processes().size()), is_wall_(profile.run.event == measures::wall.event) {
    if (profile.run.counted == measures::off_cpu.counted) runtime_.emplace(profile);
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
    const bool is_left_out = is_left_out_[static_cast<std::size_t>(row.process)] ||
                             (runtime_ && runtime_->has(profile.process(row.process).tgid, row.thread_name));
    if (!is_left_out) return true;
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
    if (profile.thread_waits) {
      if (is_wall_) text += ", on a CPU and off";
      if (is_asleep_) text += ", with the threads that never woke up";
      if (std::ranges::find(is_left_out_, true) != is_left_out_.end()) text += "; waits of kernel threads are left out";
    }
    if (runtime_ && !runtime_->empty()) text += "; waits of the runtimes' own threads are left out";
    return text;
  }

 private:
  std::vector<bool> is_left_out_;  // by ProcessId
  bool is_wall_;                   // the other rows are of time on a CPU
  std::optional<RuntimeThreads> runtime_;
  bool is_asleep_ = false;  // the list of threads tells some apart
};

enum class Which : std::uint8_t {
  all,
  own  // of programs and scripts, to which what they call belongs
};

// What the values of functions are made of.
class Parts {
 public:
  void add(std::size_t function, std::string_view part, std::uint64_t value) {
    if (!part.empty()) parts_[function][std::string(part)] += value;
  }
  // The text for a function with that value of its own.
  [[nodiscard]] std::string text(std::size_t function, std::uint64_t self) const {
    const auto found = parts_.find(function);
    if (found == parts_.end()) return {};
    std::vector<std::pair<std::string, std::uint64_t>> sorted(found->second.begin(), found->second.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& part) { return part.second; });
    constexpr double whole = 0.995;  // which percent() would show as 100
    constexpr double least = 0.05;
    constexpr std::size_t most = 2;
    std::string text;
    for (const auto& [part, value] : std::span(sorted).first(std::min(most, sorted.size()))) {
      const double share = ratio(value, self);
      if (share < least && !text.empty()) break;
      if (!text.empty()) text += ", ";
      text += cut_to_cells(clean_text(part), widest_part);
      if (share < whole) text += ' ' + decimal(100 * share, 0) + '%';
    }
    return text;
  }

 private:
  std::unordered_map<std::size_t, std::map<std::string, std::uint64_t, std::less<>>> parts_;
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

  // Call it once.
  std::vector<HotFunction> counted() {
    for (const Row& row : profile_.rows()) {
      if (listed_ != nullptr && !listed_->has(profile_, row)) continue;
      which_ == Which::all ? count(row) : count_own(row);
    }
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      functions_[i].calls = calls_.text(i, functions_[i].self);
      functions_[i].lines = lines_.text(i, functions_[i].self);
    }
    std::erase_if(functions_, [](const HotFunction& function) { return function.total == 0; });
    std::sort(functions_.begin(), functions_.end(), [](const HotFunction& a, const HotFunction& b) {
      if (a.self != b.self) return a.self > b.self;
      if (a.total != b.total) return a.total > b.total;
      return std::tie(a.name, a.module) < std::tie(b.name, b.module);
    });
    return std::move(functions_);
  }

  // "shop: main > parse > memmove", and its value: from the root of the process with the largest value on to the
  // largest callee, as long as that has half of its caller's. Only the last functions of the path, without those of
  // interpreters. Empty: nothing is called.
  [[nodiscard]] std::pair<std::string, std::uint64_t> hottest_path() const {
    std::map<std::string, std::vector<const Row*>, std::less<>> by_name;
    for (const Row& row : profile_.rows()) {
      const bool is_listed = listed_ == nullptr || listed_->has(profile_, row);
      if (is_listed) by_name[clean_text(profile_.strings.view(profile_.process(row.process).name))].push_back(&row);
    }
    const auto sum_of = [](const std::vector<const Row*>& rows) {
      std::uint64_t sum = 0;
      for (const Row* const row : rows) sum += row->value;
      return sum;
    };
    const auto first = std::ranges::max_element(by_name, {}, [&](const auto& pair) { return sum_of(pair.second); });
    if (first == by_name.end()) return {};
    std::vector<const Row*> rows = first->second;
    std::uint64_t value = sum_of(rows);
    std::vector<std::size_t> path;
    for (std::size_t depth = 0;; ++depth) {
      std::unordered_map<std::size_t, std::vector<const Row*>> callees;
      for (const Row* const row : rows) {
        if (const auto callee = function_at(*row, depth)) callees[*callee].push_back(row);
      }
      const auto largest = std::ranges::max_element(callees, {}, [&](const auto& pair) { return sum_of(pair.second); });
      if (largest == callees.end() || 2 * sum_of(largest->second) < value) break;
      value = sum_of(largest->second);
      const bool is_again = !path.empty() && path.back() == largest->first;
      if (!is_again && !interpreters_.contains(largest->first)) path.push_back(largest->first);
      rows = std::move(largest->second);
    }
    constexpr std::size_t most_shown = 6;
    if (path.size() < 2) return {};
    const std::span<const std::size_t> shown = std::span(path).last(std::min(most_shown, path.size()));
    std::string text = first->first + ": " + (shown.size() < path.size() ? "... > " : "");
    for (const std::size_t function : shown) {
      text += cut_to_cells(functions_[function].name, widest_part) + (function == shown.back() ? "" : " > ");
    }
    return {text, value};
  }
  // Of Which::own: the sum of the rows that belong to another function than their leaf.
  [[nodiscard]] std::uint64_t moved() const { return moved_; }

 private:
  std::size_t function(std::string name, std::string module) {
    const auto [found, is_new] = numbers_.try_emplace({name, module}, functions_.size());
    if (is_new) {
      functions_.push_back({.name = std::move(name), .module = std::move(module)});
      counted_at_.push_back(0);
    }
    return found->second;
  }

  // The function so many frames from the row's root: its user stack comes first. nullopt: it has fewer.
  [[nodiscard]] std::optional<std::size_t> function_at(const Row& row, std::size_t depth) const {
    for (const StackId part : {row.user, row.kernel}) {
      const std::span<const FrameId> frames = profile_.stack(part);
      if (depth < frames.size()) {
        return shown_[shown_of_[static_cast<std::size_t>(frames[frames.size() - 1 - depth]) + 1] - 1];
      }
      depth -= frames.size();
    }
    return std::nullopt;
  }

  void show(FrameId id) {
    const std::string module = clean_text(code_file_name(profile_, profile_.frame(id)));
    for_each_shown(profile_, id, [&](const ShownFrame& one) {
      std::string name;
      append_function(name, profile_, one, Semicolon::keep);
      shown_.push_back(function(std::move(name), module));
      if (library_code(profile_, one) == LibraryCode::interpreter) interpreters_.insert(shown_.back());
      const bool has_line = is_apart_by_line(profile_.run, *one.frame) && one.at.line != 0;
      places_.push_back(has_line ? one.at : SourceLine());
    });
  }

  void count(const Row& row) {
    count(row, blamed_place(profile_, row), is_blamed_on_caller(profile_, row));
    if (above_blamed_ == 0) meet(function(std::string(no_stack_name), {}), row.value);
  }

  // Of a script the innermost function that is its own, whatever that calls.
  void count_own(const Row& row) {
    if (std::ranges::any_of(profile_.stack(row.user), [&](FrameId id) { return is_of_script(id); })) {
      count_scripts(row);
    } else if (const auto own = own_place(profile_, row); own && own->code != LibraryCode::interpreter) {
      count(row, own->at, true);
      moved_ += own->at == 0 ? 0 : row.value;
    }
  }

  void count(const Row& row, std::size_t blamed, bool with_calls) {
    ++row_number_;
    above_blamed_ = blamed;
    for (const ShownPart& part : shown_parts(profile_, row)) {
      if (part.stack == StackId::none) meet(function(clean_text(part.text), {}), row.value);
      for (const FrameId id : profile_.stack(part.stack)) {
        const auto frame = static_cast<std::size_t>(id);
        for (std::size_t at = shown_of_[frame]; at != shown_of_[frame + 1]; ++at) {
          if (above_blamed_ == 0) {
            if (with_calls) calls_.add(shown_[at], call_of_blamed(profile_, row, blamed), row.value);
            add_line(at, row.value);
          }
          meet(shown_[at], row.value);
        }
      }
    }
  }

  void add_line(std::size_t at, std::uint64_t value) {
    std::string line;
    append_source_line(line, profile_, places_[at], Semicolon::keep);
    if (!line.empty()) lines_.add(shown_[at], std::string_view(line).substr(1), value);
  }

  [[nodiscard]] bool is_of_script(FrameId id) const { return profile_.frame(id).kind == FrameKind::script; }

  void count_scripts(const Row& row) {
    ++row_number_;
    constexpr std::size_t nowhere = SIZE_MAX;
    std::size_t own = nowhere;
    script_.clear();
    for (const FrameId id : profile_.stack(row.user)) {
      if (!is_of_script(id)) continue;
      for_each_shown(profile_, id, [&](const ShownFrame& shown) {
        if (own == nowhere && library_code(profile_, shown) == LibraryCode::none) own = script_.size();
      });
      script_.push_back(shown_of_[static_cast<std::size_t>(id)]);
    }
    above_blamed_ = own == nowhere ? 0 : own;
    for (std::size_t i = 0; i < script_.size(); ++i) {
      if (above_blamed_ == 0) {
        if (i != 0) calls_.add(shown_[script_[i]], functions_[shown_[script_[i - 1]]].name, row.value);
        add_line(script_[i], row.value);
      }
      meet(shown_[script_[i]], row.value);
    }
    const bool is_leaf = profile_.stack(row.kernel).empty() && is_of_script(profile_.stack(row.user).front());
    moved_ += is_leaf && own == 0 ? 0 : row.value;
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
  std::vector<std::uint64_t> counted_at_;         // by function: number of the last row that has it; 0: none
  std::vector<std::size_t> shown_;                // functions of frames; those of one frame are together, leaf first
  std::vector<SourceLine> places_;                // of those, by the same index, if lines are known and kept apart
  std::vector<std::size_t> shown_of_;             // by FrameId: index of its first function in shown_; then the end
  std::unordered_set<std::size_t> interpreters_;  // functions of what runs scripts
  std::vector<std::size_t> script_;  // of the row that is counted: its functions of scripts, by index in shown_
  Parts calls_;
  Parts lines_;
  std::uint64_t moved_ = 0;
  std::uint64_t row_number_ = 0;
  // How many functions of the row come before the one that it is blamed on; SIZE_MAX and less when it has been met.
  std::size_t above_blamed_ = 0;
};

// How the values of a table are written. Times have the unit that makes their sum short.
class Amounts {
 public:
  Amounts(const RunUnit& unit, std::span<const HotFunction> functions, std::uint64_t whole)
      : word_(clean_text(unit.word())) {
    if (unit == Unit::bytes) scale_bytes(whole);
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
    if (time_) return time_->text(ns_ * static_cast<double>(value));
    return bytes_ == 1 ? std::to_string(value) : decimal(static_cast<double>(value) / bytes_, 3);
  }

 private:
  void scale_bytes(std::uint64_t whole) {
    constexpr std::pair<double, const char*> scales[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
    constexpr double least = 100;  // of a scale, so that the largest numbers have some digits before the point
    for (const auto& [bytes, word] : scales) {
      if (static_cast<double>(whole) < least * bytes) continue;
      bytes_ = bytes;
      word_ = word;
      return;
    }
  }

  std::string word_;
  double ns_ = 1;  // of a value of 1
  std::optional<TimeUnit> time_;
  double bytes_ = 1;
};

void cut_names(std::vector<HotFunction>& functions) {
  for (HotFunction& function : functions) {
    function.name = cut_to_cells(function.name, widest_name);
    function.module = cut_to_cells(function.module, widest_name);
  }
}

Amounts write_table(std::ostream& out, const RunUnit& unit, std::span<const HotFunction> functions, std::size_t most,
                    bool with_modules, std::uint64_t whole) {
  const auto has_share = [whole](const HotFunction& function) {
    return of_least_share * static_cast<double>(function.self) >= static_cast<double>(whole);
  };
  const auto end_of_shares = std::ranges::find_if_not(functions, has_share);
  const auto shared = static_cast<std::size_t>(end_of_shares - functions.begin());
  const std::size_t shown = std::min({most, functions.size(), std::max<std::size_t>(shared, 1)});
  Amounts amounts(unit, functions.first(shown), whole);
  out << top_of(shown, functions.size(), "function") << ", in " << amounts.unit() << '\n';
  std::vector<TextTable::Column> columns = {{"SELF"}, {"SHARE"}, {"TOTAL"}, {"SHARE"}};
  std::vector<const std::string HotFunction::*> texts;
  const auto add_column = [&](const char* heading, const std::string HotFunction::*text) {
    columns.push_back({heading, TextTable::Align::left});
    texts.push_back(text);
  };
  add_column("FUNCTION", &HotFunction::name);
  if (with_modules) add_column("MODULE", &HotFunction::module);
  const auto has = [&](const std::string HotFunction::*text) {
    return std::ranges::any_of(functions.first(shown), [&](const auto& function) { return !(function.*text).empty(); });
  };
  if (has(&HotFunction::calls)) add_column("CALLS", &HotFunction::calls);
  if (has(&HotFunction::lines)) add_column("LINES", &HotFunction::lines);
  TextTable table(std::move(columns));
  for (const HotFunction& function : functions.first(shown)) {
    std::vector<std::string> cells = {amounts.text(function.self), percent(function.self, whole),
                                      amounts.text(function.total), percent(function.total, whole)};
    for (const auto text : texts) cells.push_back(function.*text);
    table.add(std::move(cells));
  }
  table.write(out);
  return amounts;
}

void add_lines(const std::ostringstream& text, std::vector<std::string>& lines) {
  std::istringstream in(text.str());
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
}

// Much of what a program costs is in the kernel, in libraries and in an interpreter, which do not say what to change.
// If these hide the program's own functions among the first `most` of `all`, their table follows.
void add_own_lines(const Profile& profile, std::span<const HotFunction> all, const ListedRows& listed, std::size_t most,
                   std::vector<std::string>& lines) {
  Functions own(profile, Which::own, &listed);
  std::vector<HotFunction> functions = own.counted();
  std::erase_if(functions, [](const HotFunction& function) { return function.self == 0; });
  if (functions.empty()) return;
  cut_names(functions);
  const auto is_shown = [&](const HotFunction& one) {
    return std::ranges::any_of(all.first(std::min(most, all.size())), [&](const HotFunction& function) {
      return function.name == one.name && function.module == one.module && function.self >= one.self / 4 * 3;
    });
  };
  const std::uint64_t whole = listed.total(profile);
  if (own.moved() < whole / 20 || is_shown(functions.front())) return;
  std::ostringstream out;
  write_table(out, profile.run.unit, functions, std::min<std::size_t>(most, 5), true, whole);
  const std::size_t number = lines.size();
  add_lines(out, lines);
  lines[number] += ", of programs and scripts: SELF is with what they call outside of their own code";
}

// The file of a program of Go that spends a tenth of its time on memory. "": there is none.
std::string program_of_go(const Profile& profile, std::span<const HotFunction> functions) {
  constexpr std::string_view allocator = "runtime.mallocgc";
  const auto found = std::ranges::find(functions, allocator, &HotFunction::name);
  if (profile.run.unit != Unit::samples || found == functions.end()) return {};
  if (ratio(found->total, profile.total()) < 0.1) return {};
  for (const Frame& frame : profile.frames()) {
    if (frame.binary == BinaryId::none || profile.strings.view(frame.symbol) != allocator) continue;
    return clean_text(profile.strings.view(profile.binary(frame.binary).path));
  }
  return {};
}

// The functions that have most by themselves do not say who calls them.
void add_path_line(const Profile& profile, const ListedRows& listed, std::vector<std::string>& lines) {
  constexpr double least_share = 0.2;
  const auto [path, value] = Functions(profile, Which::all, &listed).hottest_path();
  const std::uint64_t whole = listed.total(profile);
  if (path.empty() || ratio(value, whole) < least_share) return;
  lines.push_back("hottest path, " + percent(value, whole) + " in " + path);
}

// The name of the function that a row is blamed on. Empty: it has no function of a program.
std::string blamed_name(const Profile& profile, const Row& row) {
  const std::optional<OwnPlace> own = own_place(profile, row);
  if (!own) return {};
  std::size_t before = own->at;
  std::string name;
  for (const ShownPart& part : shown_parts(profile, row)) {
    if (part.stack == StackId::none) --before;
    for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
      if (before-- == 0) append_function(name, profile, shown, Semicolon::keep);
    });
  }
  return cut_to_cells(name, widest_name);
}

// Who waits for a lock wants to know who holds it.
bool waits_for_lock(const Profile& profile, const HotFunction& function) {
  constexpr std::string_view locks[] = {"pthread_mutex_lock", "__pthread_mutex_lock", "pthread_rwlock_",
                                        "__pthread_rwlock_",  "std::mutex::lock",     "futex_wait",
                                        "synchronized",       "ReentrantLock.lock"};
  const auto is_called = [&](std::string_view lock) { return function.calls.find(lock) != std::string::npos; };
  return profile.run.event == measures::off_cpu.event && !has_wakers(profile) && std::ranges::any_of(locks, is_called);
}

// Who ended the waits: of a lock the thread that held it, of a queue the one that filled it.
void add_waker_lines(const Profile& profile, const ListedRows& listed, std::size_t most, const Amounts& amounts,
                     std::vector<std::string>& lines) {
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> sums;
  for (const Row& row : profile.rows()) {
    if (row.waker == StringId::empty || !listed.has(profile, row)) continue;
    Row waking;
    waking.user = row.waker_user;
    waking.kernel = row.waker_kernel;
    const bool is_thread = !is_in_interrupt(profile, row.waker_kernel);
    sums[{blamed_name(profile, row), is_thread ? clean_text(profile.strings.view(row.waker)) : "(interrupt)",
          is_thread ? blamed_name(profile, waking) : ""}] += row.value;
  }
  std::vector<std::pair<std::tuple<std::string, std::string, std::string>, std::uint64_t>> sorted;
  for (auto& [names, value] : sums) {
    if (!std::get<0>(names).empty()) sorted.emplace_back(names, value);
  }
  if (sorted.empty()) return;
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& pair) { return pair.second; });
  const std::uint64_t whole = listed.total(profile);
  const auto with_share = std::ranges::count_if(sorted, [whole](const auto& pair) {
    return of_least_share * static_cast<double>(pair.second) >= static_cast<double>(whole);
  });
  const std::size_t shown = std::clamp<std::size_t>(static_cast<std::size_t>(with_share), 1, most);
  lines.push_back(top_of(shown, sorted.size(), "waker") + ", in " + amounts.unit() +
                  ": who ended the waits of FUNCTION");
  TextTable table({{"WAITED"},
                   {"SHARE"},
                   {"FUNCTION", TextTable::Align::left},
                   {"WOKEN BY", TextTable::Align::left},
                   {"IN", TextTable::Align::left}});
  for (const auto& [names, value] : std::span(sorted).first(shown)) {
    const auto& [function, thread, waking] = names;
    table.add({amounts.text(value), percent(value, whole), function, thread, waking});
  }
  std::ostringstream out;
  table.write(out);
  add_lines(out, lines);
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
  const auto is_blamed = [&](const Row& row) {
    const bool is_itself = profile.run.unit == Unit::hits && blamed_place(profile, row) == 0;
    return is_blamed_on_caller(profile, row) && !is_itself;
  };
  const bool names_callers = std::ranges::any_of(profile.rows(), is_blamed);
  add_lines(out, lines);
  if (names_callers)
    lines.front() += ": SELF is of the first frame outside kernel, standard libraries, allocator and interpreter";
  if (const std::string difference = listed.difference(profile); !difference.empty()) {
    lines.push_back("all together " + amounts.text(whole) + ' ' + amounts.unit() + difference);
  }
  if (waits_for_lock(profile, functions.front()))
    lines.emplace_back("who held that lock: --waker shows who ended waits; which lock it is: -e futex");
  add_waker_lines(profile, listed, most, amounts, lines);
  add_own_lines(profile, functions, listed, most, lines);
  if (const std::string program = program_of_go(profile, functions); !program.empty()) {
    lines.push_back("who allocates that: -e uprobe:" + program + ":runtime.mallocgc");
  }
  if (!names_callers) add_path_line(profile, listed, lines);
  return lines;
}

}  // namespace profile
