#include "output/blamed_frame.h"

#include <algorithm>
#include <optional>
#include <string_view>

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

// The beginnings of the names of what runs scripts. The function of the script that it runs can be changed.
constexpr std::string_view interpreters[] = {"python", "libpython", "ruby",   "libruby", "php",    "libphp", "perl",
                                             "node",   "libnode",   "libjvm", "libjava", "libnio", "libnet", "libperl"};

bool is_of_interpreter(const Profile& profile, const ShownFrame& shown) {
  if (shown.frame->kind != FrameKind::user) return false;
  const std::string_view module = profile.strings.view(shown.frame->module);
  return std::ranges::any_of(interpreters, [&](std::string_view each) { return module.starts_with(each); });
}

bool is_of_user_code(const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  if (frame.kind == FrameKind::kernel) return false;
  const std::string_view module = profile.strings.view(frame.module);
  const std::string_view name = profile.strings.view(shown.symbol);
  if (name.empty() && module.empty()) return false;
  if (std::ranges::any_of(libraries, [&](std::string_view each) { return module.starts_with(each); })) return false;
  return !name.starts_with("operator new") && std::ranges::find(allocators, name) == std::end(allocators);
}

}  // namespace

bool is_blamed_on_caller(const Profile& profile, const Row& row) {
  return row.tag != StringId::empty || profile.run.counted != word_of(Unit::samples);
}

std::size_t blamed_place(const Profile& profile, const Row& row) {
  if (!is_blamed_on_caller(profile, row)) return 0;
  std::size_t place = 0;
  std::optional<std::size_t> interpreter;  // where the first frame of one is
  for (const ShownPart& part : shown_parts(profile, row)) {
    if (part.stack == StackId::none) {
      ++place;
      continue;
    }
    std::optional<std::size_t> blamed;
    for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
      if (!blamed && is_of_interpreter(profile, shown)) {
        if (!interpreter) interpreter = place;
      } else if (!blamed && is_of_user_code(profile, shown) &&
                 (!interpreter || shown.frame->kind == FrameKind::script)) {
        blamed = place;
      }
      ++place;
    });
    if (blamed) return *blamed;
  }
  return interpreter.value_or(0);
}

}  // namespace profile
