// One aligned line per sample, below one header line. Readers can split lines at blanks, because blanks in thread names
// are underscores. TIME is in Unix nanoseconds, PID is the process, and stack sizes are in bytes (8 per frame; -1 for a
// missed stack). For units other than samples the weight is the last column; the unit is its heading.
#include <algorithm>

#include "output/shown_frame.h"
#include "output/stream.h"

namespace profile {
namespace {

constexpr std::size_t time_width = 19;  // until the year 2286
constexpr std::size_t comm_width = 16;  // the kernel keeps 15 bytes
constexpr std::size_t pid_width = 7;    // PID_MAX_LIMIT
constexpr std::size_t cpu_width = 5;
constexpr std::size_t size_width = 8;

// Terminal columns of the text, for most scripts.
std::size_t width_of(std::string_view text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

void append_left(std::string& out, std::string_view text, std::size_t width) {
  out += text;
  const std::size_t taken = width_of(text);
  if (taken < width) out.append(width - taken, ' ');
}

void append_right(std::string& out, std::string_view text, std::size_t width) {
  const std::size_t taken = width_of(text);
  if (taken < width) out.append(width - taken, ' ');
  out += text;
}

void append_size(std::string& out, const Profile& profile, StackId stack) {
  out += ' ';
  if (stack == StackId::missed) return append_right(out, "-1", size_width);
  append_number(out, profile.stack(stack).size() * sizeof(std::uint64_t), 10, size_width, ' ');
}

class Table final : public StreamOutput {
 public:
  void begin(std::string& out, const RunInfo& run) override {
    if (run.unit != "samples") append_word(unit_, run.unit);
    append_left(out, "TIME", time_width + 1);
    append_left(out, "COMM", comm_width);
    append_heading(out, "PID", pid_width);
    append_heading(out, "CPUID", cpu_width);
    append_heading(out, "KStackSz", size_width);
    append_heading(out, "UStackSz", size_width);
    if (!unit_.empty()) append_heading(out, unit_, unit_width());
    out += '\n';
  }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    append_number(out, sample.unix_ns, 10, time_width, ' ');
    out += ' ';
    names_.append(out, sample.row.thread_name, [&](std::string& text) {
      std::string word;
      append_word(word, profile.strings.view(sample.row.thread_name));
      append_left(text, word, comm_width);
    });
    out += ' ';
    append_number(out, profile.process(sample.row.process).tgid, 10, pid_width, ' ');
    out += ' ';
    append_number(out, sample.cpu, 10, cpu_width, ' ');
    append_size(out, profile, sample.row.kernel);
    append_size(out, profile, sample.row.user);
    if (!unit_.empty()) {
      out += ' ';
      append_number(out, sample.row.value, 10, unit_width(), ' ');
    }
    out += '\n';
  }

  void forget() override { names_.forget(); }

 private:
  [[nodiscard]] std::size_t unit_width() const { return std::max<std::size_t>(width_of(unit_), 12); }
  static void append_heading(std::string& out, std::string_view text, std::size_t width) {
    out += ' ';
    append_right(out, text, width);
  }

  std::string unit_;  // empty: samples
  KeptTexts names_;
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_table(const OutputOptions& /*options*/) { return std::make_unique<Table>(); }

}  // namespace profile
