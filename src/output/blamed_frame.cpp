#include "output/blamed_frame.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "model/wakers.h"
#include "output/shown_frame.h"

namespace profile {
namespace {

// What is between a program's system call and the function that serves it, on x86-64 and on arm64.
constexpr std::string_view entries[] = {"entry_SYSCALL", "do_syscall_64", "x64_sys_call",   "el0t_64_sync",
                                        "el0_svc",       "do_el0_svc",    "invoke_syscall", "el0_sync"};
// What interrupts a thread, which then waits for a CPU.
constexpr std::string_view interrupts[] = {"asm_sysvec_", "asm_common_interrupt", "el0t_64_irq", "el1h_64_irq"};
constexpr std::string_view page_faults[] = {"asm_exc_page_fault", "el0_da", "el0_ia"};
constexpr std::string_view system_calls[] = {"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_"};

// Where the frames of an appended waker (model/wakers.h) end, and those of the wait begin.
bool is_end_of_waker(const Profile& profile, const ShownFrame& shown) {
  return shown.frame->kind == FrameKind::kernel && profile.strings.view(shown.symbol) == waker_delimiter;
}

// The name by which programs know a function of the C library: "__pthread_mutex_unlock_usercnt" is
// "pthread_mutex_unlock".
std::string_view public_name(std::string_view name) {
  constexpr std::string_view suffixes[] = {"_internal", "_usercnt", "_nocancel", "_full"};
  if (!name.starts_with("__")) return name;
  name.remove_prefix(name.find_first_not_of('_') == std::string_view::npos ? 0 : name.find_first_not_of('_'));
  for (const std::string_view suffix : suffixes) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

// The name of a frame below the blamed one, as it answers what was called. Empty: it does not answer that.
std::string_view called_name(const Profile& profile, const ShownFrame& shown) {
  std::string_view name = profile.strings.view(shown.symbol);
  if (shown.frame->kind == FrameKind::kernel) {
    if (begins_with_one_of(name, entries)) return {};
    if (begins_with_one_of(name, interrupts)) return "(preempted)";
    if (begins_with_one_of(name, page_faults)) return "(page fault)";
    for (const std::string_view prefix : system_calls) {
      if (name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return name;
  }
  const LibraryCode library = library_code(profile, shown);
  // Java's keyword for a monitor, which the thread waits for.
  if (library == LibraryCode::interpreter && name.starts_with("ObjectMonitor::enter")) return "synchronized";
  const bool is_silent = library == LibraryCode::interpreter ||
                         (shown.frame->kind == FrameKind::script && library != LibraryCode::standard);
  if (is_silent) return {};
  return library == LibraryCode::always ? public_name(name) : name;
}

}  // namespace

bool is_blamed_on_caller(const Profile& profile, const Row& row) {
  const bool is_hit = profile.run.unit == Unit::hits;  // of a function that may be the allocator's
  return row.tag != StringId::empty || is_hit || profile.run.counted != word_of(Unit::samples);
}

bool is_in_interrupt(const Profile& profile, StackId kernel) {
  return std::ranges::any_of(profile.stack(kernel), [&](FrameId id) {
    return begins_with_one_of(profile.strings.view(profile.frame(id).symbol), interrupts);
  });
}

std::size_t blamed_place(const Profile& profile, const Row& row) {
  if (!is_blamed_on_caller(profile, row)) return 0;
  const std::optional<OwnPlace> own = own_place(profile, row);
  return own ? own->at : 0;
}

std::optional<OwnPlace> own_place(const Profile& profile, const Row& row) {
  constexpr std::size_t nowhere = SIZE_MAX;
  std::size_t place = 0;
  std::size_t interpreter = nowhere;  // where the first frame of one is
  std::size_t standard = nowhere;     // where the answer is if the program has nothing of its own
  for (const ShownPart& part : shown_parts(profile, row)) {
    if (part.stack == StackId::none) {
      ++place;
      continue;
    }
    std::size_t blamed = nowhere;
    for_each_shown(profile, part.stack, [&](const ShownFrame& shown) {
      if (is_end_of_waker(profile, shown)) {
        blamed = interpreter = standard = nowhere;
      } else if (blamed == nowhere) {
        const bool is_script = shown.frame->kind == FrameKind::script;
        const LibraryCode library = library_code(profile, shown);
        if (library == LibraryCode::interpreter) {
          if (interpreter == nowhere) interpreter = place;
        } else if (library != LibraryCode::always && (interpreter == nowhere || is_script)) {
          if (library == LibraryCode::none) blamed = place;
          // The program's own function may be inlined into the outermost one, but none is inlined in a script.
          if (library == LibraryCode::standard && (!is_script || standard == nowhere)) standard = place;
        }
      }
      ++place;
    });
    if (blamed != nowhere) return OwnPlace{.at = blamed, .code = LibraryCode::none};
  }
  if (standard != nowhere && (interpreter == nowhere || standard > interpreter)) {
    return OwnPlace{.at = standard, .code = LibraryCode::standard};
  }
  if (interpreter == nowhere) return std::nullopt;
  return OwnPlace{.at = interpreter, .code = LibraryCode::interpreter};
}

std::string_view call_of_blamed(const Profile& profile, const Row& row, std::size_t place) {
  std::size_t before = place;
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
