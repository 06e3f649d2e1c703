#include "output/blamed_frame.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/wakers.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

// The beginnings of the names of libraries: glibc and musl with their loaders, the C++ runtimes, and allocators that
// take the place of malloc.
constexpr std::string_view libraries[] = {"libc.so",     "libc-2.",     "libpthread",   "ld-linux",  "ld-2.",
                                          "libc.musl",   "ld-musl",     "libstdc++.so", "libc++.so", "libc++abi",
                                          "libjemalloc", "libtcmalloc", "libmimalloc",  "vdso"};
// In programs that are linked statically.
constexpr std::string_view allocators[] = {"malloc",        "calloc",         "realloc",
                                           "reallocarray",  "memalign",       "aligned_alloc",
                                           "__libc_malloc", "posix_memalign", "valloc"};
// What programs wrap around these, to end when there is no memory or to count it: "xmalloc", "zmalloc_usable",
// "g_malloc0", "ruby_xrealloc2".
constexpr std::string_view wrapped[] = {"malloc", "calloc", "realloc", "strdup", "strndup", "memdup"};
constexpr std::string_view wrappers[] = {"x",   "z",   "ztry",  "e",       "_e",      "g_",  "g_try_",
                                         "je_", "mi_", "tc_",   "ruby_",   "ruby_x",  "av_", "safe_",
                                         "my_", "s",   "try_z", "CRYPTO_", "OPENSSL_"};
// Others of well-known programs: PostgreSQL, Apache, nginx, GLib and SQLite.
constexpr std::string_view pools[] = {"palloc",
                                      "palloc0",
                                      "palloc_extended",
                                      "repalloc",
                                      "MemoryContextAlloc",
                                      "MemoryContextAllocZero",
                                      "MemoryContextAllocExtended",
                                      "AllocSetAlloc",
                                      "AllocSetAllocFromNewBlock",
                                      "AllocSetRealloc",
                                      "apr_palloc",
                                      "ngx_alloc",
                                      "ngx_palloc",
                                      "ngx_pnalloc",
                                      "g_slice_alloc",
                                      "g_slice_alloc0",
                                      "sqlite3Malloc",
                                      "sqlite3MemMalloc",
                                      "sqlite3DbMallocRaw",
                                      "sqlite3DbMallocRawNN"};

// The beginnings of the names of what runs scripts. The function of the script that it runs can be changed.
constexpr std::string_view interpreters[] = {"python", "libpython", "ruby",   "libruby", "php",    "libphp", "perl",
                                             "node",   "libnode",   "libjvm", "libjava", "libnio", "libnet", "libperl"};

// What is between a program's system call and the function that serves it, on x86-64 and on arm64.
constexpr std::string_view entries[] = {"entry_SYSCALL", "do_syscall_64", "x64_sys_call",   "el0t_64_sync",
                                        "el0_svc",       "do_el0_svc",    "invoke_syscall", "el0_sync"};
// What interrupts a thread, which then waits for a CPU.
constexpr std::string_view interrupts[] = {"asm_sysvec_", "asm_common_interrupt", "el0t_64_irq", "el1h_64_irq"};
constexpr std::string_view page_faults[] = {"asm_exc_page_fault", "el0_da", "el0_ia"};
constexpr std::string_view system_calls[] = {"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_"};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return name.starts_with(each); });
}

bool is_wrapper(std::string_view name) {
  return std::ranges::any_of(wrappers, [&](std::string_view wrapper) {
    if (!name.starts_with(wrapper)) return false;
    const std::string_view rest = name.substr(wrapper.size());
    return std::ranges::any_of(wrapped, [&](std::string_view function) {
      if (!rest.starts_with(function)) return false;
      const std::string_view end = rest.substr(function.size());
      return end.empty() || end.front() == '_' || (end.front() >= '0' && end.front() <= '9');
    });
  });
}

bool is_allocator(std::string_view name) {
  return name.starts_with("operator new") || std::ranges::find(allocators, name) != std::end(allocators) ||
         std::ranges::find(pools, name) != std::end(pools) || is_wrapper(name);
}

bool is_of_interpreter(const Profile& profile, const ShownFrame& shown) {
  if (shown.frame->kind != FrameKind::user) return false;
  const std::string_view module = profile.strings.view(shown.frame->module);
  return begins_with_one_of(module, interpreters);
}

bool is_of_user_code(const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  if (frame.kind == FrameKind::kernel) return false;
  const std::string_view module = profile.strings.view(frame.module);
  const std::string_view name = profile.strings.view(shown.symbol);
  if (name.empty() && module.empty()) return false;
  if (frame.kind == FrameKind::script && name.starts_with('~')) return false;  // a stub of Java's engine
  const bool is_of_go = frame.kind == FrameKind::user && name.starts_with("runtime.");
  return !begins_with_one_of(module, libraries) && !is_allocator(name) && !is_of_go;
}

// Where the frames of an appended waker (model/wakers.h) end, and those of the wait begin.
bool is_end_of_waker(const Profile& profile, const ShownFrame& shown) {
  return shown.frame->kind == FrameKind::kernel && profile.strings.view(shown.symbol) == waker_delimiter;
}

// The name of a frame below the blamed one, as it answers what was called. Empty: it does not answer that.
std::string_view called_name(const Profile& profile, const ShownFrame& shown) {
  std::string_view name = profile.strings.view(shown.symbol);
  if (shown.frame->kind == FrameKind::kernel) {
    if (begins_with_one_of(name, entries)) return {};
    if (begins_with_one_of(name, interrupts)) return "(interrupt)";
    if (begins_with_one_of(name, page_faults)) return "(page fault)";
    for (const std::string_view prefix : system_calls) {
      if (name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return name;
  }
  return shown.frame->kind == FrameKind::script || is_of_interpreter(profile, shown) ? std::string_view() : name;
}

}  // namespace

bool is_blamed_on_caller(const Profile& profile, const Row& row) {
  const bool is_hit = profile.run.unit == Unit::hits;  // of a function that may be the allocator's
  return row.tag != StringId::empty || is_hit || profile.run.counted != word_of(Unit::samples);
}

std::size_t blamed_place(const Profile& profile, const Row& row) {
  if (!is_blamed_on_caller(profile, row)) return 0;
  constexpr std::size_t nowhere = SIZE_MAX;
  std::size_t place = 0;
  std::size_t interpreter = nowhere;  // where the first frame of one is
  for (const ShownPart& part : shown_parts(profile, row)) {
    if (part.stack == StackId::none) {
      ++place;
      continue;
    }
    std::size_t blamed = nowhere;
    for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
      if (is_end_of_waker(profile, shown)) {
        blamed = interpreter = nowhere;
      } else if (blamed == nowhere && is_of_interpreter(profile, shown)) {
        if (interpreter == nowhere) interpreter = place;
      } else if (blamed == nowhere && is_of_user_code(profile, shown) &&
                 (interpreter == nowhere || shown.frame->kind == FrameKind::script)) {
        blamed = place;
      }
      ++place;
    });
    if (blamed != nowhere) return blamed;
  }
  return interpreter == nowhere ? 0 : interpreter;
}

std::string_view call_of_blamed(const Profile& profile, const Row& row) {
  std::size_t before = blamed_place(profile, row);
  std::string_view call;
  for (const ShownPart& part : shown_parts(profile, row)) {
    if (before != 0 && part.stack == StackId::none) --before;
    for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
      if (before == 0) return;
      --before;
      if (is_end_of_waker(profile, shown)) {
        call = {};
        return;
      }
      if (const std::string_view name = called_name(profile, shown); !name.empty()) call = name;
    });
  }
  return call;
}

}  // namespace profile
