#include "support/module.h"
#include "recording/recording.h"

namespace profile {
namespace {
constexpr RecordingModule functions{.make = make_recorder, .read = read_recording};
}  // namespace
}  // namespace profile

extern "C" const profile::ModuleEntry profile_module_recording{.version = PROFILE_VERSION,
                                                               .functions = &profile::functions};
