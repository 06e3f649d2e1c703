#include "support/error.h"

#include <system_error>

namespace profile {

Error system_error(const std::string& attempted, int errno_value) {
  return Error(attempted + ": " + std::generic_category().message(errno_value));
}

}  // namespace profile
