// One profile that never changes, with everything that a format can get wrong. All golden files are made from it, so
// that formats can be compared.
// It has 92 samples; the comments say how many each part has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profile::test {

// A 4,000-byte C++ name: 666 times "wrap<", then "long", then 666 times ">".
inline std::string template_name() {
  std::string name;
  for (int i = 0; i < 666; ++i) name += "wrap<";
  return name + "long" + std::string(666, '>');
}

// Names frames as the symboliser would.
class Namer {
 public:
  explicit Namer(Profile& profile) : profile_(profile) {}

  FrameId kernel(std::uint64_t address, std::string_view symbol, std::string_view module, std::uint64_t offset) {
    return named(profile_.frame(ProcessId::kernel, FrameKind::kernel, {address}), symbol, module, offset);
  }
  FrameId user(ProcessId space, std::uint64_t address, std::string_view symbol, std::string_view module,
               std::uint64_t offset) {
    return named(profile_.frame(space, FrameKind::user, {address}), symbol, module, offset);
  }
  FrameId unnamed(FrameId id, Unnamed reason, std::string_view module = {}, std::uint64_t offset = 0) {
    Frame& frame = profile_.frames()[static_cast<std::size_t>(id)];
    frame.unnamed = reason;
    frame.module = profile_.strings.intern(module);
    frame.offset = offset;
    if (frame.kind == FrameKind::kernel || module.empty()) return id;
    frame.binary = profile_.binary({.path = frame.module});
    frame.binary_address = ElfAddress{reason == Unnamed::named ? frame.address.value : offset};
    return id;
  }

 private:
  FrameId named(FrameId id, std::string_view symbol, std::string_view module, std::uint64_t offset) {
    profile_.frames()[static_cast<std::size_t>(id)].symbol = profile_.strings.intern(symbol);
    return unnamed(id, Unnamed::named, module, offset);
  }

  Profile& profile_;
};

// dd (185): threads "dd" and "dd-writer", and a second program image of the same number. 39 samples.
inline void add_dd(Profile& profile) {
  Namer name(profile);
  const ProcessId dd = profile.process(185, 0, "dd");
  const ProcessId dd_again = profile.process(185, 1, "dd");
  const StringId thread = profile.strings.intern("dd");
  const StringId writer = profile.strings.intern("dd-writer");

  const FrameId read = name.user(dd, 0x7f0000000e0d, "read", "libc.so.6", 0xd);
  const FrameId main_10 = name.user(dd, 0x555500001010, "main", "dd", 0x10);
  const FrameId main_22 = name.user(dd, 0x555500001022, "main", "dd", 0x22);
  const FrameId start = name.user(dd, 0x7f000002724a, "__libc_start_call_main", "libc.so.6", 0x7a);
  const FrameId main_again = name.user(dd_again, 0x555600001010, "main", "dd", 0x10);
  const FrameId start_again = name.user(dd_again, 0x7f100002724a, "__libc_start_call_main", "libc.so.6", 0x7a);
  const StackId reading = profile.stack(std::vector{read, main_10, start});
  const StackId kernel = profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10),
                                                   name.kernel(0xffffffff81200167, "ksys_read", "kernel", 0x67),
                                                   name.kernel(0xffffffff81c0005b, "do_syscall_64", "kernel", 0x5b)});
  const auto user_at = [&](std::uint64_t address) { return profile.frame(dd, FrameKind::user, {address}); };
  const StackId all_reasons = profile.stack(std::vector{
      name.unnamed(user_at(0x1001), Unnamed::pending),
      name.unnamed(user_at(0x1002), Unnamed::no_symbol, "dd", 0x1234),
      name.unnamed(user_at(0x1003), Unnamed::file_gone, "gone.so", 0x500),
      name.unnamed(user_at(0x1004), Unnamed::file_changed, "changed.so", 0x600),
      name.unnamed(user_at(0x1005), Unnamed::file_malformed, "bad.so", 0x0),
      name.unnamed(user_at(0x1006), Unnamed::no_jit_map),
      name.unnamed(user_at(0x1007), Unnamed::not_mapped),
      name.unnamed(user_at(0x1008), Unnamed::process_gone),
  });
  const auto add = [&](ProcessId process, StringId thread_name, StackId user, StackId kernel_part,
                       std::uint64_t value) {
    Row row;
    row.process = process;
    row.thread_name = thread_name;
    row.user = user;
    row.kernel = kernel_part;
    row.value = row.samples = value;
    profile.add(row);
  };
  add(dd, thread, reading, kernel, 7);
  add(dd, thread, profile.stack(std::vector{main_22, start}), StackId::none, 5);
  add(dd, thread, profile.stack(std::vector{main_10, start}), StackId::none, 3);
  add(dd_again, thread, profile.stack(std::vector{main_again, start_again}), StackId::none, 2);  // prints as above
  add(dd, writer, reading, StackId::missed, 4);
  add(dd, thread, StackId::missed, kernel, 6);
  add(dd, thread, StackId::missed, StackId::missed, 1);
  add(dd, thread, all_reasons, StackId::none, 9);
  add(dd, thread, StackId::none, StackId::none, 2);
}

// A process with names that may break formats. 23 samples.
inline void add_hostile(Profile& profile) {
  Namer name(profile);
  const ProcessId process = profile.process(4242, 0, "we;<i>\"r\n\x1b[1m");
  const FrameId start = name.user(process, 0x400050, "na\xc3\xafve \xe2\x86\x92 \xce\xbb", "node", 0x50);
  const StackId names =
      profile.stack(std::vector{name.user(process, 0x400001, "eval;a\nb", "js;on.so", 0x1),
                                name.user(process, 0x400002, "<script>\"it's\" & x</script>", "node", 0x2),
                                name.user(process, 0x400003,
                                          "\x1b[2Jred\x7f\xc2\x9b"
                                          "1m",
                                          "", 0x3),
                                start});
  const StackId nested = profile.stack(std::vector{name.user(process, 0x400004, template_name(), "node", 0x4), start});
  Row row;
  row.process = process;
  row.thread_name = profile.process(process).name;
  row.user = names;
  row.value = row.samples = 11;
  profile.add(row);
  row.user = nested;
  row.value = row.samples = 12;
  profile.add(row);
}

// A kernel thread (10 samples) and the idle task (20).
inline void add_kernel_only(Profile& profile) {
  Namer name(profile);
  const auto kernel_at = [&](std::uint64_t address) {
    return profile.frame(ProcessId::kernel, FrameKind::kernel, {address});
  };
  Row worker;
  worker.process = profile.process(17, 0, "kworker/0:1");
  worker.thread_name = profile.process(worker.process).name;
  worker.kernel =
      profile.stack(std::vector{name.kernel(0xffffffffc04011a2, "nft_do_chain", "nf_tables", 0x1a2),
                                name.unnamed(kernel_at(0xffffffffc0500040), Unnamed::no_symbol, "bpf", 0x40),
                                name.unnamed(kernel_at(0xffffffff81c00100), Unnamed::kernel_hidden)});
  worker.value = worker.samples = 10;
  profile.add(worker);
  Row idle;
  idle.process = profile.process(0, 0, "swapper/0");
  idle.thread_name = profile.process(idle.process).name;
  idle.kernel = profile.stack(std::vector{name.kernel(0xffffffff81c10009, "default_idle", "kernel", 0x9)});
  idle.value = idle.samples = 20;
  profile.add(idle);
}

// A program whose source is known, as with --lines. 17 samples.
inline Profile profile_with_lines() {
  Profile profile;
  Namer name(profile);
  const auto text = [&profile](std::string_view words) { return profile.strings.intern(words); };
  const ProcessId app = profile.process(77, 0, "app");
  const auto stands_at = [&profile](FrameId id, const SourceLine& at, const std::vector<InlinedFunction>& inlined) {
    profile.frames()[static_cast<std::size_t>(id)].source = profile.source({.at = at, .inlined = inlined});
    return id;
  };
  const SourceLine call_of_get{text("/src/app/main.cpp"), 17};
  const InlinedFunction get{text("Box<int>::get(int) const"), {text("/src/lib/box.h"), 30}};
  const InlinedFunction deep{text("deep(int)"), {text("/src/app/deep.h"), 7}};
  // Two instructions of one line. Their function is inlined into a second one, and that one into a third.
  const FrameId outer_16 = stands_at(name.user(app, 0x401136, "outer(int)", "app", 0x16), call_of_get, {deep, get});
  const FrameId outer_1a = stands_at(name.user(app, 0x40113a, "outer(int)", "app", 0x1a), call_of_get, {deep, get});
  const FrameId main = stands_at(name.user(app, 0x401225, "main", "app", 0x25), {text("/src/app/main.cpp"), 42}, {});
  const FrameId start = name.user(app, 0x7f000002724a, "__libc_start_call_main", "libc.so.6", 0x7a);
  // These have only parts that may break a format: names with separators, no line, no file, no function.
  const FrameId odd = stands_at(
      name.unnamed(profile.frame(app, FrameKind::user, {0x401300}), Unnamed::no_symbol, "app", 0x1300),
      {text("/src/we;ird\n name.c"), 0}, {{StringId::empty, {text("only/"), 3}}, {text("a;b"), {StringId::empty, 9}}});
  const StackId kernel = profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10)});
  Row row;
  row.process = app;
  row.thread_name = text("app");
  const auto add = [&](const std::vector<FrameId>& user, StackId kernel_part, std::uint64_t value) {
    row.user = profile.stack(user);
    row.kernel = kernel_part;
    row.value = row.samples = value;
    profile.add(row);
  };
  add({outer_16, main, start}, StackId::none, 5);
  add({outer_1a, main, start}, StackId::none, 3);
  add({outer_16, main, start}, kernel, 7);
  add({odd, main, start}, StackId::none, 2);
  profile.account.taken = profile.account.recorded = 17;
  return profile;
}

// User stacks that were walked, and one that was not. Two stacks have the same frames but different ends. 20 samples.
inline Profile profile_with_ends() {
  Profile profile;
  Namer name(profile);
  const ProcessId app = profile.process(300, 0, "app");
  const FrameId work = name.user(app, 0x401010, "work", "app", 0x10);
  const FrameId main = name.user(app, 0x401110, "main", "app", 0x10);
  const FrameId start = name.user(app, 0x401210, "_start", "app", 0x10);
  const FrameId inflate = name.user(app, 0x7f0000001010, "inflate", "libz.so.1", 0x10);
  const StackId kernel = profile.stack(std::vector{name.kernel(0xffffffff81200010, "vfs_read", "kernel", 0x10)});
  const auto add = [&](StackId user, StackId kernel_part, std::uint64_t value) {
    Row row;
    row.process = app;
    row.thread_name = profile.strings.intern("app");
    row.user = user;
    row.kernel = kernel_part;
    row.value = row.samples = value;
    profile.add(row);
  };
  add(profile.stack(std::vector{work, main, start}, StackEnd::root), StackId::none, 10);
  add(profile.stack(std::vector{work, main, start}), StackId::none, 2);
  add(profile.stack(std::vector{inflate}, StackEnd::no_cfi), kernel, 4);
  add(profile.stack(std::vector{work, main}, StackEnd::too_deep), StackId::none, 3);
  add(StackId::missed, StackId::none, 1);
  profile.account.taken = profile.account.recorded = 20;
  return profile;
}

inline Profile fixed_profile() {
  Profile profile;
  add_dd(profile);
  add_hostile(profile);
  add_kernel_only(profile);
  profile.account.taken = profile.account.recorded = 92;
  return profile;
}

}  // namespace profile::test
