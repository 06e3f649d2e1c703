// Adds one profile to another: intervals to the whole, threads to a process, files to a report. The parts of a profile
// refer to each other by number. So each number of one profile becomes a number of the other, bottom up: texts,
// processes, frames, stacks, rows.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/profile.h"

namespace profile {
namespace {

// Adds each of `more` to the item with the same key, or behind the others. Afterwards the largest items come first.
template <class Item, class Key, class Add, class Size>
void merge_items(std::vector<Item>& items, std::vector<Item> more, const Key& key, const Add& add, const Size& size) {
  std::map<std::decay_t<std::invoke_result_t<Key, const Item&>>, std::size_t> known;
  for (std::size_t i = 0; i < items.size(); ++i) known.emplace(key(items[i]), i);
  for (Item& item : more) {
    const auto [found, is_new] = known.try_emplace(key(item), items.size());
    if (is_new) {
      items.push_back(std::move(item));
    } else {
      add(items[found->second], item);
    }
  }
  std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return size(a) > size(b); });
}

void add_programs(SyscallError& to, SyscallError& more) {
  merge_items(
      to.programs, std::move(more.programs), [](const FailingProgram& program) { return program.name; },
      [](FailingProgram& sum, const FailingProgram& program) {
        if (sum.tgid != program.tgid) sum.tgid = 0;
        sum.count += program.count;
      },
      [](const FailingProgram& program) { return program.count; });
}

void add_errors(SyscallUse& to, SyscallUse& more) {
  merge_items(
      to.errors, std::move(more.errors), [](const SyscallError& error) { return error.number; },
      [](SyscallError& sum, SyscallError& error) {
        sum.count += error.count;
        add_programs(sum, error);
      },
      [](const SyscallError& error) { return error.count; });
}

class Merging {
 public:
  Merging(Profile& into, const Profile& other) : into_(into), other_(other) {
    // `other` may be the same profile: all sizes are taken before any change, and no reference into it lives across a
    // change.
    const std::size_t texts = other.strings.size();
    texts_.reserve(texts);
    for (std::size_t i = 0; i < texts; ++i) {
      texts_.push_back(into.strings.intern(other.strings.view(static_cast<StringId>(i))));
    }
    find_processes();
    frames_.resize(other.frames().size());
    stacks_.resize(other.stack_count() + 1);
  }

  void merge() {
    const std::size_t rows = other_.rows().size();
    for (std::size_t i = 0; i < rows; ++i) {
      Row row = other_.rows()[i];
      row.process = processes_[static_cast<std::size_t>(row.process)];
      row.thread_name = text(row.thread_name);
      row.tag = text(row.tag);
      row.user = stack(row.user);
      row.kernel = stack(row.kernel);
      row.waker = text(row.waker);
      row.waker_user = stack(row.waker_user);
      row.waker_kernel = stack(row.waker_kernel);
      into_.add(row);
    }
    merge_waits();
    const std::size_t tables = other_.duration_tables.size();
    for (std::size_t i = 0; i < tables; ++i) merge_table(other_.duration_tables[i]);
    merge_calls();
  }

 private:
  static std::uint64_t key(const Process& process) { return std::uint64_t{process.tgid} << 32 | process.image; }

  [[nodiscard]] StringId text(StringId id) const { return texts_[static_cast<std::size_t>(id)]; }

  void find_processes() {
    std::unordered_map<std::uint64_t, ProcessId> known;
    std::unordered_map<std::uint32_t, std::uint32_t> next_image;  // by tgid: above the images of both profiles
    const auto count_image = [&](const Process& process) {
      std::uint32_t& next = next_image[process.tgid];
      if (process.image != UINT32_MAX) next = std::max(next, process.image + 1);
    };
    // A run of hours has a million processes, but one second has only a few: the others need no entry.
    std::unordered_set<std::uint32_t> tgids;
    for (const Process& process : other_.processes()) tgids.insert(process.tgid);
    for (std::size_t i = 0; i < into_.processes().size(); ++i) {
      if (!tgids.contains(into_.processes()[i].tgid)) continue;
      known.emplace(key(into_.processes()[i]), static_cast<ProcessId>(i));
      count_image(into_.processes()[i]);
    }
    const std::vector<Process> others(other_.processes().begin(), other_.processes().end());
    for (const Process& process : others) count_image(process);

    // First the same processes, and those whose tgid and image are free. Without a tgid, only an equal name makes two
    // processes the same.
    processes_.assign(others.size(), ProcessId::kernel);  // no process has this id
    std::set<ProcessId> taken;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const StringId name = text(others[i].name);
      const auto found = known.find(key(others[i]));
      if (found == known.end() ? others[i].tgid == 0 : into_.process(found->second).name != name) continue;
      processes_[i] = into_.process(others[i].tgid, others[i].image, into_.strings.view(name));
      taken.insert(processes_[i]);
    }

    // The rest needs another image. An earlier merge may have made one for the same name already.
    std::map<std::pair<std::uint32_t, StringId>, std::vector<ProcessId>> by_name;  // each list is reversed
    for (std::size_t i = into_.processes().size(); i-- > 0;) {
      const auto id = static_cast<ProcessId>(i);
      if (tgids.contains(into_.process(id).tgid) && !taken.contains(id))
        by_name[{into_.process(id).tgid, into_.process(id).name}].push_back(id);
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (processes_[i] != ProcessId::kernel) continue;
      const std::uint32_t tgid = others[i].tgid;
      std::vector<ProcessId>& namesakes = by_name[{tgid, text(others[i].name)}];
      if (namesakes.empty()) {
        processes_[i] = into_.process(tgid, next_image[tgid]++, into_.strings.view(text(others[i].name)));
      } else {
        processes_[i] = namesakes.back();
        namesakes.pop_back();
      }
    }
  }

  StackId stack(StackId id) {
    if (id == StackId::none || id == StackId::missed) return id;
    std::optional<StackId>& known = stacks_[static_cast<std::size_t>(id)];
    if (!known) {
      scratch_.clear();
      for (const FrameId frame : other_.stack(id)) scratch_.push_back(this->frame(frame));
      known = into_.stack(scratch_, other_.end_of(id));
    }
    return *known;
  }

  FrameId frame(FrameId id) {
    std::optional<FrameId>& known = frames_[static_cast<std::size_t>(id)];
    if (!known) {
      Frame frame = other_.frame(id);
      if (frame.space != ProcessId::kernel) frame.space = processes_[static_cast<std::size_t>(frame.space)];
      frame.symbol = text(frame.symbol);
      frame.module = text(frame.module);
      frame.source = source(frame.source);
      frame.binary = binary(frame.binary);
      known = into_.frame(frame);
    }
    return *known;
  }

  SourceLocationId source(SourceLocationId id) {
    if (id == SourceLocationId::none) return id;
    const auto line = [this](const SourceLine& at) { return SourceLine{.file = text(at.file), .line = at.line}; };
    const SourceLocation place = other_.source(id);
    std::vector<InlinedFunction> inlined;
    for (const InlinedFunction& function : place.inlined) {
      inlined.push_back({.symbol = text(function.symbol), .at = line(function.at)});
    }
    return into_.source({.at = line(place.at), .inlined = inlined});
  }

  BinaryId binary(BinaryId id) {
    if (id == BinaryId::none) return id;
    Binary binary = other_.binary(id);
    binary.path = text(binary.path);
    binary.build_id = text(binary.build_id);
    return into_.binary(binary);
  }

  void merge_waits() {
    if (!other_.thread_waits) return;
    std::vector<ThreadWait> more = *other_.thread_waits;
    for (ThreadWait& thread : more) thread.name = text(thread.name);
    if (!into_.thread_waits) into_.thread_waits.emplace();
    merge_items(
        *into_.thread_waits, std::move(more),
        [](const ThreadWait& thread) { return std::tuple(thread.tgid, thread.tid, thread.name); },
        [](ThreadWait& sum, const ThreadWait& thread) {
          sum.never_woke = sum.never_woke && thread.never_woke;
          sum.waits += thread.waits;
        },
        [](const ThreadWait& thread) { return thread.waits.total_ns; });
  }

  void merge_table(const DurationTable& other) {
    const auto is_like = [&other](const DurationTable& table) {
      return table.id == other.id && table.column_names == other.column_names;
    };
    DurationTable more = other;
    for (DurationTable::Row& row : more.rows) {
      for (StringId& label : row.labels) label = text(label);
    }
    const auto table = std::find_if(into_.duration_tables.begin(), into_.duration_tables.end(), is_like);
    if (table == into_.duration_tables.end()) {
      into_.duration_tables.push_back(std::move(more));
      return;
    }
    table->has_bytes |= more.has_bytes;
    merge_items(
        table->rows, std::move(more.rows), [](const DurationTable::Row& row) { return row.labels; },
        [](DurationTable::Row& sum, const DurationTable::Row& row) {
          sum.durations += row.durations;
          sum.bytes += row.bytes;
        },
        [](const DurationTable::Row& row) { return row.durations.total_ns; });
  }

  void merge_calls() {
    if (!other_.syscalls) return;
    SyscallReport more = *other_.syscalls;
    for (SyscallUse& use : more.calls) {
      use.process = text(use.process);
      use.name = text(use.name);
      for (SyscallError& error : use.errors) {
        for (FailingProgram& program : error.programs) program.name = text(program.name);
      }
    }
    if (!into_.syscalls) {
      into_.syscalls = std::move(more);
      return;
    }
    SyscallReport& report = *into_.syscalls;
    const double seconds = report.seconds + more.seconds;
    if (seconds > 0) {
      report.cpus_used = (report.cpus_used * report.seconds + more.cpus_used * more.seconds) / seconds;
    }
    report.seconds = seconds;
    report.by_process |= more.by_process;
    report.has_durations |= more.has_durations;
    report.has_failures |= more.has_failures;
    report.is_partial |= more.is_partial;
    merge_items(
        report.calls, std::move(more.calls),
        [](const SyscallUse& use) { return std::tuple(use.tgid, use.process, use.name); },
        [](SyscallUse& sum, SyscallUse& use) {
          sum.count += use.count;
          sum.failed += use.failed;
          sum.durations += use.durations;
          add_errors(sum, use);
        },
        [](const SyscallUse& use) { return use.count; });
  }

  Profile& into_;
  const Profile& other_;
  // By the number in `other`: the number in `into`.
  std::vector<StringId> texts_;
  std::vector<ProcessId> processes_;
  std::vector<std::optional<FrameId>> frames_;
  std::vector<std::optional<StackId>> stacks_;
  std::vector<FrameId> scratch_;
};

}  // namespace

void Profile::merge(const Profile& other) {
  if (run.is_state && other.run.is_state && this != &other) forget_rows();
  Merging(*this, other).merge();
  timeline.reset();
  account += Account(other.account);
  const std::vector<std::string> more = other.notes;  // `other` may be this profile
  notes.insert(notes.end(), more.begin(), more.end());
  // If both have it, compare CLOCK_MONOTONIC, because no user can set it.
  const bool is_earlier = began_ns != 0 && other.began_ns != 0
                              ? other.began_ns < began_ns
                              : began_unix_ns == 0 || (other.began_unix_ns != 0 && other.began_unix_ns < began_unix_ns);
  if (is_earlier) {
    began_unix_ns = other.began_unix_ns;
    began_ns = other.began_ns;
  }
  duration_ns += other.duration_ns;
}

void Profile::merge_processes() {
  std::unordered_map<StringId, ProcessId> by_name;
  std::uint32_t image = 0;  // the next without a tgid
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& known = processes_[i];
    if (known.tgid != 0) continue;
    by_name.try_emplace(known.name, static_cast<ProcessId>(i));
    if (known.image != UINT32_MAX) image = std::max(image, known.image + 1);
  }
  change_rows([&](Row& row) {
    const StringId name = process(row.process).name;
    const auto [merged, is_new] = by_name.try_emplace(name);
    if (is_new) merged->second = process(0, image++, strings.view(name));
    row.process = merged->second;
    row.tid = 0;
  });
}

}  // namespace profile
