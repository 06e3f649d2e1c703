// Names from the C library, and names of errors that only the kernel uses. Programs never see the latter, but the
// tracepoint does: a system call that the kernel restarts returns them.
#include "output/error_name.h"

#include <cstring>

namespace profile {
namespace {

struct KernelError {
  int number;
  const char* name;
};

constexpr KernelError kernel_errors[] = {
    // include/linux/errno.h
    {512, "ERESTARTSYS"},
    {513, "ERESTARTNOINTR"},
    {514, "ERESTARTNOHAND"},
    {515, "ENOIOCTLCMD"},
    {516, "ERESTART_RESTARTBLOCK"},
    {517, "EPROBE_DEFER"},
    {518, "EOPENSTALE"},
    {519, "ENOPARAM"},
    {521, "EBADHANDLE"},
    {522, "ENOTSYNC"},
    {523, "EBADCOOKIE"},
    {524, "ENOTSUPP"},
    {525, "ETOOSMALL"},
    {526, "ESERVERFAULT"},
    {527, "EBADTYPE"},
    {528, "EJUKEBOX"},
    {529, "EIOCBQUEUED"},
    {530, "ERECALLCONFLICT"},
};

bool restarts(int error) { return (error >= 512 && error <= 514) || error == 516; }

}  // namespace

std::string error_name(int error) {
  if (const char* const name = strerrorname_np(error); name != nullptr) return name;
  for (const KernelError& known : kernel_errors) {
    if (known.number == error) return known.name;
  }
  return "error " + std::to_string(error);
}

std::string error_meaning(int error) {
  if (restarts(error)) return "To be restarted";
  const char* const meaning = strerrordesc_np(error);
  return meaning == nullptr ? std::string() : meaning;
}

}  // namespace profile
