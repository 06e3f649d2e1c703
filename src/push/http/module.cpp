#include "support/module.h"

#include "push/child.h"
#include "push/http/worker.h"
#include "support/error.h"

namespace profile {
namespace {

int work(const PushSettings& settings, std::vector<Fd> spools, WaitingChannel main_process) {
  try {
    PushWorker(settings, std::move(spools), std::move(main_process)).run();
  } catch (const Error&) {
    return 1;
  }
  return 0;
}

constexpr PushModule functions{.work = work};

}  // namespace
}  // namespace profile

extern "C" const profile::ModuleEntry profile_module_http{.version = PROFILE_VERSION, .functions = &profile::functions};
