// One aligned line per sample, below one header line. Readers can split lines at blanks, because blanks in thread names
// are underscores. TIME is in Unix nanoseconds, PID is the process, and stack sizes are in bytes (8 per frame; -1 for a
// missed stack). For units other than samples the weight is the last column; the unit is its heading.
#include <algorithm>

#include "output/shown_frame.h"
#include "output/stream.h"
#include "output/text_table.h"

namespace profile {
namespace {

constexpr std::size_t time_width = 19;  // until the year 2286
constexpr std::size_t comm_width = 16;  // the kernel keeps 15 bytes
constexpr std::size_t pid_width = 7;    // PID_MAX_LIMIT
constexpr std::size_t cpu_width = 5;
constexpr std::size_t size_width = 8;

void append_size(std::string& out, const Profile& profile, StackId stack) {
  if (stack == StackId::missed) return append_all(out, " ", to_the_right("-1", size_width));
  append_all(out, " ", aligned(profile.stack(stack).size() * sizeof(std::uint64_t), size_width));
}

class Table final : public StreamOutput {
 public:
  void begin(std::string& out, const RunInfo& run) override {
    if (run.unit != Unit::samples) append_word(unit_, run.unit.word());
    append_all(out, to_the_left("TIME", time_width + 1), to_the_left("COMM", comm_width));
    append_all(out, " ", to_the_right("PID", pid_width), " ", to_the_right("CPUID", cpu_width));
    append_all(out, " ", to_the_right("KStackSz", size_width), " ", to_the_right("UStackSz", size_width));
    if (!unit_.empty()) append_all(out, " ", to_the_right(unit_, unit_width()));
    out += '\n';
  }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    append_all(out, aligned(sample.unix_ns, time_width), " ");
    texts_.append(out, sample.row.thread_name, [&](std::string& text) {
      std::string word;
      append_word(word, profile.strings.view(sample.row.thread_name));
      text += to_the_left(word, comm_width);
    });
    append_all(out, " ", aligned(profile.process(sample.row.process).tgid, pid_width));
    append_all(out, " ", aligned(sample.cpu, cpu_width));
    append_size(out, profile, sample.row.kernel);
    append_size(out, profile, sample.row.user);
    if (!unit_.empty()) append_all(out, " ", aligned(sample.row.value, unit_width()));
    out += '\n';
  }

 private:
  [[nodiscard]] std::size_t unit_width() const { return std::max<std::size_t>(width_of(unit_), 12); }

  std::string unit_;  // empty: samples
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_table(const OutputOptions& /*options*/) { return std::make_unique<Table>(); }

}  // namespace profile
