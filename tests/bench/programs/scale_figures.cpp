// Measures what the timeline costs on a large machine: scale_figures PROCESSES prints JSON for a simulated /proc of
// that many processes with 100 mappings each. If the figure of one process grows with their number, some cost is
// quadratic.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "process/code_files.h"
#include "process/proc_survey.h"
#include "process/process_table.h"
#include "process/side_band.h"
#include "support/clock.h"
#include "unit/side_band_records.h"

namespace {

using namespace profile;

constexpr std::uint32_t first_tgid = 1000;
constexpr std::uint32_t mappings = 100;
constexpr std::uint64_t mapping_bytes = 0x10000;
constexpr std::uint64_t first_address = 0x7f0000000000;

// Every process maps every library, as with common libraries.
std::string code_lines() {
  std::string lines;
  char line[160];
  for (std::uint32_t i = 0; i < mappings; ++i) {
    const std::uint64_t start = first_address + 2 * i * mapping_bytes;
    std::snprintf(line, sizeof line, "%llx-%llx r-xp 00001000 08:01 %u                    /usr/lib/library-%u.so\n",
                  static_cast<unsigned long long>(start), static_cast<unsigned long long>(start + mapping_bytes),
                  100 + i, i);
    lines += line;
  }
  return lines;
}

class ManyProcesses final : public ProcSource {
 public:
  explicit ManyProcesses(std::uint32_t count) : count_(count), lines_(code_lines()) {}
  std::uint64_t now_ns() override { return monotonic_ns(); }
  std::vector<std::uint32_t> tgids() override {
    std::vector<std::uint32_t> all(count_);
    for (std::uint32_t i = 0; i < count_; ++i) all[i] = first_tgid + i;
    return all;
  }
  std::uint32_t tgid_of(std::uint32_t tid) override { return tid; }
  bool read(std::uint32_t /*tgid*/, ProcSnapshot& snapshot) override {
    snapshot.comm = "worker";
    snapshot.code_lines = lines_;
    snapshot.is_kernel_thread = false;
    return true;
  }
  bool is_alive(std::uint32_t tgid) override { return tgid < first_tgid + count_; }
  bool is_running(std::uint32_t tgid) override { return is_alive(tgid); }
  std::uint64_t mount_namespace(std::uint32_t /*tgid*/) override { return 1; }
  std::optional<std::uint32_t> user_of(std::uint32_t /*tgid*/) override { return 0; }
  Device root_device() override { return {8, 1}; }

 private:
  std::uint32_t count_;
  std::string lines_;
};

// Answers every question at once.
class WillingKeeper final : public FileKeeper {
 public:
  void open(const FileQuestion& question) override {
    answers_.push_back({question.number, FileFault::none, {1, question.identity.inode, 1000, 1}, {}});
  }
  void take_answers(const std::function<void(const FileAnswer&)>& take) override {
    for (; !answers_.empty(); answers_.pop_front()) take(answers_.front());
  }
  bool wait_for_answer(std::chrono::milliseconds /*patience*/) override { return !answers_.empty(); }
  std::vector<State> states(std::span<const FileNumber> numbers) override { return {numbers.size(), State::same}; }
  void close(FileNumber /*number*/) override {}
  void hold_perf_map(std::uint32_t /*tgid*/, std::optional<std::uint32_t> /*user*/) override {}
  void drop_perf_map(std::uint32_t /*tgid*/) override {}

 private:
  std::deque<FileAnswer> answers_;
};

double cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// The CPU time of one of `count` actions.
template <class Do>
double us_each(double count, Do act) {
  const double begun = cpu_us();
  act();
  return (cpu_us() - begun) / count;
}

}  // namespace

int main(int argc, char** argv) {
  const auto count = static_cast<std::uint32_t>(argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0);
  if (count == 0) return 2;
  const std::size_t before = mallinfo2().uordblks;
  ManyProcesses proc(count);
  WillingKeeper keeper;
  CodeFiles files(keeper, 1000);
  ProcessTable table(files, proc);
  ProcSurvey survey(proc, table, [] {});
  const auto apply = [&](const test::Bytes& bytes) {
    if (const auto record = parse_side_band(bytes)) table.apply(*record);
  };

  files.begin_batch();
  const double scan_us = us_each(count, [&] { survey.scan({}); });
  const double kept_kb = static_cast<double>(mallinfo2().uordblks - before) / count / 1024;

  constexpr std::uint32_t lookups_each = 20;
  std::uint64_t found = 0;
  const double lookup_us = us_each(double{lookups_each} * count, [&] {
    const std::uint64_t now_ns = monotonic_ns();
    for (std::uint32_t i = 0; i < lookups_each * count; ++i) {
      const std::uint32_t tgid = first_tgid + static_cast<std::uint32_t>(std::uint64_t{i} * 7919 % count);
      const std::uint64_t address = first_address + 2 * (i % mappings) * mapping_bytes + 8;
      const CodeLocation at = table.locate(tgid, table.image_at(tgid, now_ns), RuntimeAddress{address});
      found += at.kind == CodeLocation::Kind::file ? 1 : 0;
    }
  });
  if (found != std::uint64_t{lookups_each} * count) return 1;

  // Each process has a child that runs another program and exits.
  const double child_us = us_each(count, [&] {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t child = first_tgid + count + i;
      const std::uint64_t now_ns = monotonic_ns();
      apply(test::fork_bytes(now_ns, child, first_tgid + i));
      apply(test::comm_bytes(now_ns + 1, child, child, "child", true));
      apply(test::mmap_bytes(now_ns + 2, child, first_address, mapping_bytes, 0, {8, 1, 100}, "/usr/lib/library-0.so"));
      apply(test::exit_bytes(now_ns + 3, child));
    }
  });
  const double forget_us = us_each(count, [&] {
    table.forget_before(monotonic_ns() + 1'000'000'000, [&](std::uint32_t tgid) { return proc.is_alive(tgid); });
  });
  if (table.kept_count() != count) return 1;
  std::printf("{\"scan_us\": %.2f, \"kept_kb\": %.2f, \"lookup_us\": %.3f, \"child_us\": %.2f, \"forget_us\": %.2f}\n",
              scan_us, kept_kb, lookup_us, child_us, forget_us);
  return 0;
}
