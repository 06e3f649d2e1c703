#include "files/failure.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace profile {

std::string words_of(const Failure& failure) {
  return failure.why.empty() ? std::generic_category().message(failure.error) : failure.why;
}

Error unwritable(const std::string& path, const Failure& failure) {
  return Error("cannot write " + path + ": " + words_of(failure));
}

Error unwritable(const std::string& path, int error, bool is_detached) {
  return unwritable(path, {.error = error, .why = is_detached && error == ETIMEDOUT ? takes_nothing : ""});
}

SentFailure::SentFailure(const Failure& failure) : error(failure.error) {
  std::copy_n(failure.why.begin(), std::min(failure.why.size(), why.size() - 1), why.begin());
}

Failure SentFailure::failure() const { return {.error = error, .why = why.data()}; }

}  // namespace profile
