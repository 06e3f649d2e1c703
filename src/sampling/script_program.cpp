#include "sampling/script_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <malloc.h>

#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include "support/blocked_signals.h"
#include "support/error.h"

namespace profile {
namespace {

// The compiler's constants are of this one program.
bool is_of_compiler(std::string_view map) { return map.starts_with(".rodata.str") || map.starts_with(".rodata.cst"); }

// Gives `object` the maps of the first one, and its constants, which are maps that were filled before they were frozen.
void share_maps(bpf_object& object, bpf_object& first) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, &object) {
    const char* const name = bpf_map__name(map);
    if (is_of_compiler(name)) continue;
    bpf_map& shared = bpf_map_named(first, name);
    if (!bpf_map__autocreate(&shared)) {
      want_map(object, name, false);
    } else if (std::string_view(name).starts_with(".rodata")) {
      std::size_t bytes = 0;
      const void* const values = bpf_map__initial_value(&shared, &bytes);
      std::memcpy(bpf_section_memory(object, name, bytes), values, bytes);
    } else {
      check_bpf(bpf_map__reuse_fd(map, bpf_map__fd(&shared)), "share a BPF map");
    }
  }
}

}  // namespace

ScriptProgram::~ScriptProgram() {
  if (thread_.joinable()) thread_.join();
}

bool ScriptProgram::is_settled() {
  if (has_begun_) return is_over_;
  has_begun_ = true;
  const auto work = [this] {
    try {
      load();
    } catch (const std::exception& error) {  // there may be no memory
      refusal_ = error.what();
    }
    is_over_ = true;
  };
  const BlockedSignals blocked(BlockedSignals::all());  // those of a run are for the main thread
  try {
    thread_ = std::thread(work);
  } catch (const std::system_error&) {  // too many threads
    work();
  }
  return is_over_;
}

void ScriptProgram::settle() {
  if (!is_settled() && thread_.joinable()) thread_.join();
}

void ScriptProgram::load() {
  std::size_t bytes = 0;
  const void* const elf = source_.elf_bytes(&bytes);
  BpfObject object = open_bpf_object(elf, bytes, source_.name);
  share_maps(*object, first_);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    check_bpf(bpf_program__set_autoload(program, std::string_view(bpf_program__name(program)) == source_.program),
              "choose among the BPF programs");
  }
  load_bpf_object(*object);
  const __u32 place = 0;
  const int fd = bpf_program__fd(&bpf_program_named(*object, source_.program));
  check_bpf(bpf_map_update_elem(bpf_map_fd(first_, source_.place), &place, &fd, BPF_ANY), "exchange the BPF programs");
  // What the object holds beside the program is two megabytes, which a run would keep to its end.
  program_ = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  object.reset();
  ::malloc_trim(0);
}

}  // namespace profile
