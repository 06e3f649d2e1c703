// The output of `perf script`, which many tools read: one paragraph per event, with its frames below it, leaf first.
//   dd  185/187 [001] 1700000000.000000042:          1 cpu-clock:
//           ffffffff81200010 vfs_read+0x10 ([kernel.kallsyms])
//               555500001010 main+0x10 (/usr/bin/dd)
// The output format uses this code, too. perf has no place for some data, so it is put where it does no harm: the unit
// in a comment, Row::tag as a leaf frame in ([tag]), and a missed stack as a frame without an address.
//
// It keeps to the patterns of common readers. The name ends before the first number that has a blank before it and a
// blank or a slash after it. A frame is "ADDRESS SYMBOL (FILE)"; FILE has no blank. SYMBOL never begins with '(',
// because readers take such a line for the name of a process.
#include "model/perf_script_words.h"
#include "output/clean_text.h"
#include "output/process_numbers.h"
#include "output/shown_frame.h"
#include "output/stream.h"
#include "support/clock.h"

namespace profile {
namespace {

constexpr std::size_t address_width = 16;

// Appends the name of a thread. A blank before a digit becomes '_', because readers would take that digit for the
// process number.
void append_thread(std::string& out, std::string_view name) {
  const std::size_t begin = out.size();
  append_name(out, name, Semicolon::replace);
  if (out[begin] == ' ' || out[begin] == '#') out[begin] = '_';
  for (std::size_t at = begin; at < out.size(); ++at) {
    const bool is_last = at + 1 == out.size();
    if (out[at] == ' ' && (is_last || (out[at + 1] >= '0' && out[at + 1] <= '9'))) out[at] = '_';
  }
}

void append_frame_line(std::string& out, std::uint64_t address, std::string_view text, std::string_view file) {
  const NumberForm number{.value = address, .base = 16, .width = address_width, .fill = ' '};
  append_all(out, "\t", number, " ", text, " (", file, ")\n");
}

// The path if it is known, as in perf's output.
std::string file_of(const Profile& profile, const Frame& frame) {
  const std::string_view module = profile.strings.view(frame.module);
  if (frame.kind == FrameKind::kernel) {
    return module.empty() || module == kernel_module ? std::string(perf_kernel) : "[" + std::string(module) + "]";
  }
  if (module.empty()) return std::string(unknown_name);
  if (module == vdso_module) return std::string(perf_vdso);
  const std::string_view path =
      frame.binary == BinaryId::none ? std::string_view() : profile.strings.view(profile.binary(frame.binary).path);
  return std::string(path.empty() ? module : path);
}

// Of a part that is one text.
std::string_view file_of(ShownPart::Kind kind) {
  switch (kind) {
    case ShownPart::Kind::tag:
      return perf_tag;
    case ShownPart::Kind::kernel:
      return perf_kernel;
    case ShownPart::Kind::user:
      break;
  }
  return unknown_name;
}

void append_shown(std::string& out, const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  std::string text;
  append_function(text, profile, shown, Semicolon::keep);
  if (text.front() == '(') text.insert(0, perf_global);
  if (shown.at.file != StringId::empty && is_apart_by_line(profile.run, frame)) {
    append_source_line(text, profile, shown.at, Semicolon::keep);
  } else if (const std::uint64_t offset = offset_in_function(shown); offset != unknown_offset) {
    append_all(text, "+0x", hex(offset));
  }
  std::string file;
  append_word(file, file_of(profile, frame));
  append_frame_line(out, frame.kind == FrameKind::script ? 0 : frame.address.value, text, file);
}

class PerfScript final : public StreamOutput {
 public:
  // Writes the comments before all events. perf's header lines around them tell readers which format this is.
  void begin(std::string& out, const RunInfo& run) override {
    event_.clear();
    append_word(event_, run.event.empty() ? run.unit.word() : run.event);
    std::string unit;
    append_word(unit, run.unit.word());
    std::string counted;
    append_word(counted, run.counted);
    out += perf_header_line;
    if (!run.command_line.empty()) out += "# cmdline : " + clean_text(run.command_line) + '\n';
    append_all(out, perf_own_words, "unit = ", unit, ", counted = ", counted, ", frequency = ", run.frequency_hz,
               ", period = ", run.period_events, ", event = ", event_, "\n", perf_header_line, "#\n");
  }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    const Row& row = sample.row;
    texts_.append(out, row.thread_name,
                  [&](std::string& text) { append_thread(text, profile.strings.view(row.thread_name)); });
    // Two blanks, because some patterns need a name of at least two bytes and take the first blank as part of it.
    const std::uint32_t number = numbers_.of(profile, profile.process(row.process));
    append_all(out, "  ", number, "/", row.tid != 0 ? row.tid : number, " ");
    if (sample.cpu != any_cpu) append_all(out, "[", zero_filled(sample.cpu, 3), "] ");
    append_all(out, sample.unix_ns / ns_per_s, ".", zero_filled(sample.unix_ns % ns_per_s, 9), ": ");
    append_all(out, aligned(row.value, 10), " ", event_, ":\n");
    for (const ShownPart& part : shown_parts(profile, row)) {
      if (part.stack == StackId::none) {
        append_frame_line(out, 0, clean_text(part.text), file_of(part.kind));
        continue;
      }
      stacks_.append(out, part.stack, [&](std::string& text) {
        for_each_shown(profile, part.stack, [&](const ShownFrame& shown) { append_shown(text, profile, shown); });
      });
    }
    out += '\n';
  }

 private:
  std::string event_;  // name of the event, as one word
  ProcessNumbers numbers_;
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_perf_script(const OutputOptions& /*options*/) {
  return std::make_unique<PerfScript>();
}

}  // namespace profile
