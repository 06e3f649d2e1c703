// Measures what the table of one file costs: unwind_figures FILE prints JSON. CPU time, because the machine may be
// busy; the minimum of several runs, and the memory of the first run.
#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "support/fd.h"
#include "unwind/build.h"

namespace {

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

int main(int count, char** words) {
  using namespace profile;
  constexpr int times = 5;
  const Fd fd(count == 2 ? ::open(words[1], O_RDONLY | O_CLOEXEC) : -1);
  double least_ms = 1e9;
  double memory_mb = 0;
  UnwindTable table;
  for (int i = 0; i < times; ++i) {
    const double begun = cpu_ms();
    std::string why;
    const auto file = ElfFile::read(fd.get(), why);
    UnwindAnswer answer;
    if (file) answer = unwind_table_of(*file);
    least_ms = std::min(least_ms, cpu_ms() - begun);
    if (!file || answer.fault != UnwindFault::none) return 1;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (i == 0) memory_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    table = std::move(answer.table);
  }
  const auto rows = static_cast<double>(table.rows.size());
  std::printf("{\"rows\": %.0f, \"ms\": %.3f, \"ns_a_row\": %.1f, \"bytes_a_row\": %.2f, \"memory_mb\": %.1f}\n", rows,
              least_ms, least_ms * 1e6 / rows, static_cast<double>(table.size_bytes()) / rows, memory_mb);
  return 0;
}
