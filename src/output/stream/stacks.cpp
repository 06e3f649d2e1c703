// One block per sample, which ends with an empty line; each part is leaf first:
//   [1700000000.000000042] COMM: node (pid=285503) @ CPU 64
//   Kernel:
//   0xffffffff81200010: vfs_read @ 0xffffffff81200000+0x10
//   Userspace:
//   0x0000000000401136: get(int) (inlined) [/src/box.h:30]
//   0x0000000000401136: outer(int) @ 0x401120+0x16 [/src/main.cpp:17]
//   0x0000000000401300: [app+0x1300]
// "No Kernel Stack" and "No Userspace Stack" replace missing parts. Inlined functions have no start address. An
// incomplete user stack ends with the reason: "[incomplete: no CFI]". The tag is the first line of the first existing
// part; without any part it is the second line of the block. For units other than samples the weight follows the CPU:
// ", 1250 microseconds".
#include "model/stack_end.h"
#include "output/shown_frame.h"
#include "output/stream.h"
#include "support/clock.h"

namespace profile {
namespace {

void append_frame(std::string& out, const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  append_all(out, "0x", hex(frame.address.value, 16), ": ");
  append_function(out, profile, shown, Semicolon::keep);
  if (shown.is_inlined) {
    out += " (inlined)";
  } else if (const std::uint64_t offset = offset_in_function(shown); offset != unknown_offset) {
    append_all(out, " @ 0x", hex(frame.address.value - offset), "+0x", hex(offset));
  }
  if (shown.at.file != StringId::empty) {
    out += " [";
    append_clean(out, profile.strings.view(shown.at.file), Semicolon::keep);
    if (shown.at.line != 0) append_all(out, ":", shown.at.line);
    out += ']';
  }
  out += '\n';
}

class Stacks final : public StreamOutput {
 public:
  void begin(std::string& /*out*/, const RunInfo& run) override {
    if (run.unit == Unit::samples) return;
    unit_.assign(1, ' ');
    append_clean(unit_, run.unit.word(), Semicolon::keep);
  }

  void append(std::string& out, const Profile& profile, const Sample& sample) override {
    append_all(out, "[", sample.unix_ns / ns_per_s, ".", zero_filled(sample.unix_ns % ns_per_s, 9), "] COMM: ");
    texts_.append(out, sample.row.thread_name, [&](std::string& text) {
      append_name(text, profile.strings.view(sample.row.thread_name), Semicolon::keep);
    });
    append_all(out, " (pid=", profile.process(sample.row.process).tgid, ") @ CPU ", sample.cpu);
    if (!unit_.empty()) append_all(out, ", ", sample.row.value, unit_);
    out += '\n';
    append_parts(out, profile, sample.row);
    out += '\n';
  }

 private:
  void append_parts(std::string& out, const Profile& profile, const Row& row) {
    const std::string_view tag = profile.strings.view(row.tag);
    const bool kernel_has_tag = row.kernel != StackId::none;
    const bool user_has_tag = !kernel_has_tag && row.user != StackId::none;
    if (!kernel_has_tag && !user_has_tag) append_tag(out, tag);
    if (row.kernel == StackId::none) {
      out += "No Kernel Stack\n";
    } else {
      out += "Kernel:\n";
      append_tag(out, tag);
      append_part(out, profile, row.kernel, missed_kernel_stack);
    }
    if (row.user == StackId::none) {
      out += "No Userspace Stack\n";
    } else {
      out += "Userspace:\n";
      if (user_has_tag) append_tag(out, tag);
      append_part(out, profile, row.user, missed_user_stack);
    }
  }

  static void append_tag(std::string& out, std::string_view tag) {
    if (tag.empty()) return;
    append_clean(out, tag, Semicolon::keep);
    out += '\n';
  }

  void append_part(std::string& out, const Profile& profile, StackId stack, std::string_view missed) {
    if (stack == StackId::missed) {
      out.append(missed).append(1, '\n');
      return;
    }
    stacks_.append(out, stack, [&](std::string& text) {
      for_each_shown(profile, stack, [&](const ShownFrame& shown) { append_frame(text, profile, shown); });
      const StackEnd end = profile.end_of(stack);
      if (is_incomplete(end)) text += incomplete_frame(end) + '\n';
    });
  }

  std::string unit_;  // empty: samples
};

}  // namespace

std::unique_ptr<StreamOutput> make_stream_stacks(const OutputOptions& /*options*/) {
  return std::make_unique<Stacks>();
}

}  // namespace profile
