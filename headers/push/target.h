// The servers that --push names: where they are, and by which protocol they take profiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "push/labels.h"

namespace profile {

enum class PushProtocol : std::uint8_t { pyroscope, parca, count };

struct PushTarget {
  PushProtocol protocol{};
  std::string name;  // as typed, without a slash at its end
  std::string url;   // that is posted to
  std::string host;  // of the URL, with its port if it has one
};

// The target of "pyroscope+http://HOST:4040" or "parca+https://HOST/BASE". Throws a usage Error for any other text. The
// error does not show a part of the URL that may be a password.
[[nodiscard]] PushTarget push_target_of(std::string_view typed);
// Of the request's body.
[[nodiscard]] std::string_view content_type_of(PushProtocol protocol);

// One profile as the protocol's server takes it. `pprof` is compressed by gzip. `name`: of the kind of profile, as
// process_cpu. `id`: a UUID, the same whenever the request is repeated.
struct PushedProfile {
  std::string_view name;
  const PushLabels& labels;
  std::string_view pprof;
  std::string_view id;
};
[[nodiscard]] std::string request_body(PushProtocol protocol, const PushedProfile& profile);

}  // namespace profile
