// A timeline without a kernel: the test writes the records, fills in /proc, and decides how files open.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "process/code_files.h"
#include "process/proc_survey.h"
#include "process/process_table.h"
#include "side_band_records.h"

namespace profile::test {

constexpr std::uint64_t own_mounts = 4026531841;

// A memfd that holds no program.
constexpr FileIdentity jit_memory{0, 1, 77};

struct FakeProcess {
  std::string comm;
  std::string code_lines;
  std::uint64_t mount_namespace = own_mounts;
  std::uint32_t user = 1000;
};

class FakeProc final : public ProcSource {
 public:
  std::uint64_t now_ns() override { return ++clock_ns; }
  std::vector<std::uint32_t> tgids() override {
    std::vector<std::uint32_t> all;
    for (const auto& [tgid, process] : processes) all.push_back(tgid);
    return all;
  }
  std::uint32_t tgid_of(std::uint32_t tid) override { return tid; }
  bool read(std::uint32_t tgid, ProcSnapshot& snapshot) override {
    ++reads;
    const auto at = processes.find(tgid);
    if (at == processes.end()) return false;
    snapshot = {at->second.comm, at->second.code_lines, false};
    if (after_read) after_read(tgid);
    return true;
  }
  bool is_alive(std::uint32_t tgid) override { return processes.contains(tgid); }
  bool is_running(std::uint32_t tgid) override { return processes.contains(tgid) && !zombies.contains(tgid); }
  std::uint64_t mount_namespace(std::uint32_t tgid) override {
    if (tgid == 0) return own_mounts;
    const auto at = processes.find(tgid);
    return at == processes.end() ? 0 : at->second.mount_namespace;
  }
  std::optional<std::uint32_t> user_of(std::uint32_t tgid) override {
    const auto at = processes.find(tgid);
    return at == processes.end() ? std::nullopt : std::optional(at->second.user);
  }
  Device root_device() override { return {8, 1}; }

  std::map<std::uint32_t, FakeProcess> processes;
  std::set<std::uint32_t> zombies;
  std::function<void(std::uint32_t)> after_read;  // called just after a process was read
  std::uint64_t clock_ns = 1'000'000;
  int reads = 0;
};

class FakeKeeper final : public FileKeeper {
 public:
  void open(const FileQuestion& question) override {
    ++opens[question.identity];
    last_mapped_by = question.mapped_by;
    identities[question.number] = question.identity;
    FileFault reason = FileFault::none;
    if (question.identity == jit_memory) reason = FileFault::malformed;
    if (gone) reason = FileFault::gone;
    answers.push_back(
        {.number = question.number,
         .reason = reason,
         .stamp = {.device = 1, .inode = question.identity.inode, .size_bytes = 1000, .modified_ns = modified_ns},
         .state = {},
         .owner = owner});
    opened_ns[question.number] = modified_ns;
  }
  void take_answers(const std::function<void(const FileAnswer&)>& take) override {
    while (!is_silent && !asked_states.empty()) {
      const FileNumber number = asked_states.front();
      asked_states.pop_front();
      take({.number = number, .reason = FileFault::none, .stamp = {}, .state = state_now(number)});
    }
    while (!is_silent && !answers.empty()) {
      const FileAnswer answer = answers.front();
      answers.pop_front();
      if (answer.reason == FileFault::none) open_numbers.insert(answer.number);
      take(answer);
    }
  }
  bool wait_for_answer(std::chrono::milliseconds) override {
    return !is_silent && !(answers.empty() && asked_states.empty());
  }
  std::vector<State> states(std::span<const FileNumber> numbers) override {
    ++state_questions;
    std::vector<State> states(numbers.size(), State::unknown);
    if (is_silent) {
      asked_states.push_back(numbers.front());
    } else {
      std::ranges::transform(numbers, states.begin(), [this](FileNumber number) { return state_now(number); });
    }
    return states;
  }
  State state_now(FileNumber number) {
    if (opened_ns.at(number) != modified_ns) return State::changed;
    return deleted.contains(identities.at(number).inode) ? State::deleted : State::same;
  }
  void close(FileNumber number) override { open_numbers.erase(number); }
  void hold_perf_map(std::uint32_t tgid, std::optional<std::uint32_t>) override { held_maps.insert(tgid); }
  void drop_perf_map(std::uint32_t tgid) override { held_maps.erase(tgid); }

  int state_questions = 0;
  bool gone = false;
  std::uint64_t owner = 0;  // of the files that are opened
  bool is_silent = false;   // true: the answers wait
  std::int64_t modified_ns = 1;
  std::set<std::uint64_t> deleted;  // inodes
  std::set<std::uint32_t> held_maps;
  MappedBy last_mapped_by;
  std::map<FileIdentity, int> opens;
  std::map<FileNumber, FileIdentity> identities;
  std::map<FileNumber, std::int64_t> opened_ns;
  std::set<FileNumber> open_numbers;
  std::deque<FileAnswer> answers;
  std::deque<FileNumber> asked_states;  // files whose state was asked for
};

// Takes the answers that have arrived, and returns whether the file is open.
inline bool can_be_read(CodeFiles& files, CodeFiles::Id id) {
  CodeFile* const file = &files.at(id);
  files.wait_for_files(std::span(&file, 1), std::chrono::milliseconds(0));
  return file->is_open();
}

constexpr FileIdentity exe_file{8, 1, 100, 1};
constexpr FileIdentity libc_file{8, 1, 200, 1};
constexpr FileIdentity plugin_a{8, 1, 301, 1};
constexpr FileIdentity plugin_b{8, 1, 302, 1};

struct TestTimeline {
  explicit TestTimeline(std::size_t most_open = 100) : files(keeper, most_open) {}

  // Writes a record as the kernel does. It is read at the next update, or when /proc is read.
  void record(Bytes bytes) { pending.push_back(std::move(bytes)); }
  void catch_up() {
    while (!pending.empty()) {
      const Bytes bytes = std::move(pending.front());
      pending.pop_front();
      if (auto parsed = parse_side_band(bytes)) {
        if (parsed->type == SideBandRecord::Type::lost) parsed->lost_since = lost_since;
        table.apply(*parsed);
      }
    }
  }
  void update() {
    files.begin_batch();
    catch_up();
    survey.read_unknown();
  }
  // Does the same as ProcessTimeline::image_at().
  std::uint32_t image_at(std::uint32_t tgid, std::uint64_t time_ns) {
    update();
    if (table.needs_snapshot(tgid)) survey.look_once(tgid);
    return table.image_at(tgid, time_ns);
  }
  // "path+offset" of an address at a time; without a file, the kind of code.
  std::string where(std::uint32_t tgid, std::uint64_t time_ns, std::uint64_t address) {
    const CodeLocation location = table.locate(tgid, image_at(tgid, time_ns), RuntimeAddress{address});
    switch (location.kind) {
      case CodeLocation::Kind::file:
        return location.file->path + "+" + std::to_string(location.offset.value);
      case CodeLocation::Kind::vdso:
        return "vdso+" + std::to_string(location.offset.value);
      case CodeLocation::Kind::jit:
        return "jit";
      case CodeLocation::Kind::unfollowed:
        return "unfollowed";
      case CodeLocation::Kind::nowhere:
        return "nowhere";
      case CodeLocation::Kind::unknown:
        break;
    }
    return "unknown";
  }
  std::string name(std::uint32_t tgid, std::uint64_t time_ns) {
    return std::string(table.name_of(tgid, image_at(tgid, time_ns)));
  }
  // A process that execs `comm`. Its program is at 0x1000 and libc at 0x9000, both 0x1000 bytes long.
  void exec(std::uint64_t time, std::uint32_t tgid, std::string_view comm, const FileIdentity& file = exe_file) {
    record(comm_bytes(time, tgid, tgid, comm, true));
    record(mmap_bytes(time + 1, tgid, 0x1000, 0x1000, 0, file, "/bin/" + std::string(comm)));
    record(mmap_bytes(time + 2, tgid, 0x9000, 0x1000, 0x500, libc_file, "/lib/libc.so.6"));
  }

  FakeProc proc;
  FakeKeeper keeper;
  CodeFiles files;
  ProcessTable table{files, proc};
  ProcSurvey survey{proc, table, [this] { catch_up(); }};
  std::deque<Bytes> pending;
  std::uint64_t lost_since = 0;
};

}  // namespace profile::test
