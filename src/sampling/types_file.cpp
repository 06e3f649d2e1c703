#include "sampling/types_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "sampling/kernel_types.h"

namespace profile {
namespace {

constexpr const char* types_path = "/sys/kernel/btf/vmlinux";
// The types that BPF programs read, and the types of their members.
constexpr std::string_view read_types[] = {"task_struct",   "signal_struct", "nsproxy", "mnt_namespace",
                                           "pid_namespace", "pid",           "upid",    "ns_common"};

}  // namespace

TypesFile::TypesFile() {
  const Fd file(::open(types_path, O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || status.st_size <= 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped != MAP_FAILED) {
    mapped_ = {static_cast<const std::byte*>(mapped), size};
    return;
  }
  read_.resize(size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ::read(file.get(), read_.data() + got, size - got);
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  read_.resize(got);
}

TypesFile::~TypesFile() {
  if (!mapped_.empty()) ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
}

ReadTypes::ReadTypes() {
  const TypesFile all;
  const auto types = KernelTypes::read(all.bytes(), read_types);
  if (!types) return;
  const std::vector<std::byte> bytes = types->excerpt();
  Fd file(::memfd_create("types", MFD_CLOEXEC));
  if (!file || ::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  file_ = std::move(file);
  path_ = "/proc/self/fd/" + std::to_string(file_.get());
}

}  // namespace profile
