// The servers that --push and --store name: where they are, and by which protocol they take profiles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "push/labels.h"

namespace profile {

enum class PushProtocol : std::uint8_t { pyroscope, parca, clickhouse, count };

struct PushTarget {
  PushProtocol protocol{};
  std::string name;  // as typed, without a slash at its end
  std::string url;   // that is posted to
  std::string host;  // of the URL, with its port if it has one
  std::string user;  // only of a store; empty: the server's default
};

// The target of "pyroscope+http://HOST:4040" or "parca+https://HOST/BASE". Throws a usage Error for any other text. The
// error does not show a part of the URL that may be a password.
[[nodiscard]] PushTarget push_target_of(std::string_view typed);
// The store of "clickhouse+http://USER@HOST:8123/DATABASE", likewise. `what` names the option in the error.
[[nodiscard]] PushTarget store_target_of(std::string_view typed, const std::string& what);
// Whether `typed` is meant to be the URL of a store, and no file.
[[nodiscard]] bool is_store_url(std::string_view typed);
// The option that names such servers: "--push".
[[nodiscard]] std::string_view option_of(PushProtocol protocol);
// A line about credentials that are sent to another machine without encryption; empty: they are not.
[[nodiscard]] std::string warning_about(const PushTarget& target, std::string_view credentials);
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
// Not of a store, which gets what store/batch.h makes.
[[nodiscard]] std::string request_body(PushProtocol protocol, const PushedProfile& profile);

}  // namespace profile
