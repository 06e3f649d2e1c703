#include "support/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "support/error.h"
#include "support/privilege.h"
#include "support/verifier.h"

namespace profile {
namespace {

bool log_to_stderr = false;

int print_libbpf(libbpf_print_level, const char* format, va_list arguments) noexcept {
  if (!log_to_stderr) return 0;
  return std::vfprintf(stderr, format, arguments);
}

Error refused_by_verifier(const VerifierLogs::Refusal& refusal) {
  if (const auto lockdown = missing_by_lockdown()) return Error(*lockdown);
  utsname running{};
  ::uname(&running);
  return Error("the kernel's verifier refuses the BPF program " + refusal.program + ": " + refusal.reason +
               " (a defect of profile on Linux " + running.release + "; please report it)");
}

}  // namespace

void BpfCloser::operator()(bpf_object* object) const noexcept { bpf_object__close(object); }
void BpfCloser::operator()(bpf_link* link) const noexcept { bpf_link__destroy(link); }
void BpfCloser::operator()(ring_buffer* ring) const noexcept { ring_buffer__free(ring); }

void set_bpf_log(bool verbose) {
  log_to_stderr = verbose;
  libbpf_set_print(print_libbpf);
}

BpfObject open_bpf_object(const void* elf, std::size_t size, const char* name, const char* types_path) {
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = name, .btf_custom_path = types_path);
  BpfObject object(bpf_object__open_mem(elf, size, &options));
  if (!object) throw system_error("cannot open the BPF object", errno);
  return object;
}

void load_bpf_object(bpf_object& object) {
  const VerifierLogs logs(object);
  const int error = -bpf_object__load(&object);
  if (error == 0) {
    if (!log_to_stderr) return;
    for (const std::string& line : logs.costs()) std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  if (const auto refusal = logs.refusal()) throw refused_by_verifier(*refusal);
  if (const auto missing = missing_for_bpf(error)) throw Error(*missing);
  throw system_error("cannot load the BPF programs", error);
}

void check_bpf(int result, const char* what) {
  if (result != 0) throw system_error(std::string("cannot ") + what, -result);
}

bpf_map& bpf_map_named(bpf_object& object, const char* name) {
  bpf_map* map = bpf_object__find_map_by_name(&object, name);
  if (map == nullptr) throw Error(std::string("the BPF object has no map ") + name);
  return *map;
}

bpf_program& bpf_program_named(bpf_object& object, const char* name) {
  bpf_program* program = bpf_object__find_program_by_name(&object, name);
  if (program == nullptr) throw Error(std::string("the BPF object has no program ") + name);
  return *program;
}

int bpf_map_fd(bpf_object& object, const char* name) { return bpf_map__fd(&bpf_map_named(object, name)); }

void want_map(bpf_object& object, const char* name, bool wanted) {
  check_bpf(bpf_map__set_autocreate(&bpf_map_named(object, name), wanted), "leave out an unused map");
}

void size_map(bpf_object& object, const char* name, std::size_t entries, const char* what) {
  check_bpf(bpf_map__set_max_entries(&bpf_map_named(object, name), static_cast<__u32>(entries)), what);
}

void* bpf_section_memory(bpf_object& object, const char* section, std::size_t bytes) {
  std::size_t size = 0;
  // libbpf 1.1 returns a const pointer because some sections are read-only after loading. Its documentation says that
  // the memory can be written before.
  void* memory =
      const_cast<void*>(static_cast<const void*>(bpf_map__initial_value(&bpf_map_named(object, section), &size)));
  if (memory == nullptr || size < bytes) throw Error(std::string("the BPF object has no section ") + section);
  return memory;
}

SharedArray::SharedArray(int map_fd, std::size_t bytes)
    : data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0)), bytes_(bytes) {
  if (data_ == MAP_FAILED) throw system_error("cannot map a BPF map", errno);
}

SharedArray::~SharedArray() { ::munmap(data_, bytes_); }

ProgramBarrier::ProgramBarrier() {
  inner_ = Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "barrier_in", sizeof(__u32), sizeof(__u32), 1, nullptr));
  if (!inner_) throw system_error("cannot create a BPF map", errno);
  LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = static_cast<__u32>(inner_.get()));
  outer_ = Fd(bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "barrier", sizeof(__u32), sizeof(__u32), 1, &options));
  if (!outer_) throw system_error("cannot create a BPF map", errno);
}

void ProgramBarrier::wait() const {
  const __u32 key = 0;
  const int value = inner_.get();
  if (bpf_map_update_elem(outer_.get(), &key, &value, BPF_ANY) != 0)
    throw system_error("cannot wait for BPF programs", errno);
}

Fd bpf_run_time_stats() { return Fd(bpf_enable_stats(BPF_STATS_RUN_TIME)); }

BpfCost cost_of(const bpf_program& program) {
  bpf_prog_info info{};
  __u32 size = sizeof info;
  if (bpf_obj_get_info_by_fd(bpf_program__fd(&program), &info, &size) != 0) return {};
  return {.runs = info.run_cnt, .run_time_ns = info.run_time_ns};
}

}  // namespace profile
