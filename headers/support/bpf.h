// RAII types over libbpf: an opened object, its links and its ring. It also has two services that every loader needs:
// libbpf's log, and a wait until no running program can still see an old state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "support/fd.h"

struct bpf_link;
struct bpf_map;
struct bpf_object;
struct bpf_program;
struct ring_buffer;

namespace profile {

struct BpfCloser {
  void operator()(bpf_object* object) const noexcept;
  void operator()(bpf_link* link) const noexcept;
  void operator()(ring_buffer* ring) const noexcept;
};
using BpfObject = std::unique_ptr<bpf_object, BpfCloser>;
using BpfLink = std::unique_ptr<bpf_link, BpfCloser>;
using RingBuffer = std::unique_ptr<ring_buffer, BpfCloser>;

// Opens an object from the bytes of its ELF file (a skeleton's) and loads nothing. Throws Error.
// `types_path`: a file with BTF of the kernel types that the object reads; it must exist until the object is loaded.
// nullptr: libbpf reads all types of the kernel.
[[nodiscard]] BpfObject open_bpf_object(const void* elf, std::size_t size, const char* name,
                                        const char* types_path = nullptr);
// Loads it into the kernel. Throws Error that names the reason: privilege, BTF, lockdown or kernel version.
void load_bpf_object(bpf_object& object);

// `result` comes from a libbpf function that sets something up. Throws Error "cannot <what>" when it is not 0.
void check_bpf(int result, const char* what);

// The map or program of that name. Throws Error when there is none, which is a defect of this program.
[[nodiscard]] bpf_map& bpf_map_named(bpf_object& object, const char* name);
[[nodiscard]] bpf_program& bpf_program_named(bpf_object& object, const char* name);
// The descriptor of a map of a loaded object, which owns it. Throws Error when there is no such map.
[[nodiscard]] int bpf_map_fd(bpf_object& object, const char* name);
// Both are called before the object is loaded. A map that is not wanted is not created: the verifier removes the code
// that refers to it. `what` is for check_bpf(). Throw Error.
void want_map(bpf_object& object, const char* name, bool wanted);
void size_map(bpf_object& object, const char* name, std::size_t entries, const char* what);

// The constants of a section, at least `bytes` long. The caller writes them before loading; the object owns the memory.
// Throws Error when the section is missing or shorter.
[[nodiscard]] void* bpf_section_memory(bpf_object& object, const char* section, std::size_t bytes);

// The values of an array map or of a section of global variables, in memory shared with the kernel. Does not
// own `map_fd`. Throws Error when the memory cannot be mapped.
class SharedArray {
 public:
  SharedArray(int map_fd, std::size_t bytes);
  ~SharedArray();
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

// The same for `count` values of one type.
template <class Value>
class SharedValues {
 public:
  explicit SharedValues(int map_fd, std::size_t count = 1) : memory_(map_fd, count * sizeof(Value)) {}
  [[nodiscard]] Value* data() const { return static_cast<Value*>(memory_.data()); }
  Value* operator->() const { return data(); }
  Value& operator[](std::size_t i) const { return data()[i]; }

 private:
  SharedArray memory_;
};

// Sends libbpf's messages to stderr when `verbose`; otherwise drops them.
void set_bpf_log(bool verbose);

// Waits until every BPF program that runs now has ended, so that all its writes are done. The kernel promises this for
// an update of a map of maps (since 5.0): see maybe_wait_bpf_programs() in kernel/bpf/syscall.c. Both functions throw
// Error.
class ProgramBarrier {
 public:
  ProgramBarrier();
  void wait() const;

 private:
  Fd inner_;
  Fd outer_;
};

// Turns on the kernel's run-time statistics while the descriptor is open. Empty when the kernel refuses.
[[nodiscard]] Fd bpf_run_time_stats();

struct BpfCost {
  std::uint64_t runs = 0;
  std::uint64_t run_time_ns = 0;
};
// No runs when the kernel does not tell.
[[nodiscard]] BpfCost cost_of(const bpf_program& program);

}  // namespace profile
