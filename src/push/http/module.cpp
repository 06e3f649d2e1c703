#include "support/module.h"

#include "push/child.h"
#include "push/http/answers.h"
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

int ask(const PushTarget& store, const std::string& credentials, WaitingChannel main_process) {
  try {
    answer_queries(store, credentials, main_process);
  } catch (const Error&) {
    return 1;
  }
  return 0;
}

constexpr PushModule functions{.work = work, .ask = ask};

}  // namespace
}  // namespace profile

extern "C" const profile::ModuleEntry profile_module_http{.version = PROFILE_VERSION, .functions = &profile::functions};
