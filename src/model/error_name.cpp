// Names from the C library, and names of errors that only the kernel uses. Programs never see the latter, but the
// tracepoint does: a system call that the kernel restarts returns them.
#include "model/error_name.h"

#include <cstring>
#include <iterator>
#include <string_view>

namespace profile {
namespace {

// include/linux/errno.h, in the order of the numbers. 520 has no name.
constexpr int first_kernel_error = 512;
constexpr std::string_view kernel_errors[] = {"ERESTARTSYS",
                                              "ERESTARTNOINTR",
                                              "ERESTARTNOHAND",
                                              "ENOIOCTLCMD",
                                              "ERESTART_RESTARTBLOCK",
                                              "EPROBE_DEFER",
                                              "EOPENSTALE",
                                              "ENOPARAM",
                                              "",
                                              "EBADHANDLE",
                                              "ENOTSYNC",
                                              "EBADCOOKIE",
                                              "ENOTSUPP",
                                              "ETOOSMALL",
                                              "ESERVERFAULT",
                                              "EBADTYPE",
                                              "EJUKEBOX",
                                              "EIOCBQUEUED",
                                              "ERECALLCONFLICT"};

bool restarts(int error) { return (error >= 512 && error <= 514) || error == 516; }

}  // namespace

std::string error_name(int error) {
  if (const char* const name = strerrorname_np(error); name != nullptr) return name;
  if (error >= first_kernel_error && error < first_kernel_error + std::ssize(kernel_errors)) {
    const std::string_view name = kernel_errors[error - first_kernel_error];
    if (!name.empty()) return std::string(name);
  }
  return "error " + std::to_string(error);
}

std::string error_meaning(int error) {
  if (restarts(error)) return "To be restarted";
  const char* const meaning = strerrordesc_np(error);
  return meaning == nullptr ? std::string() : meaning;
}

}  // namespace profile
