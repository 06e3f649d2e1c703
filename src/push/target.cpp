#include "push/target.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <protozero/pbf_builder.hpp>
#include <sstream>
#include <utility>

#include "output/json_writer.h"
#include "support/ascii.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

struct ProtocolRow {
  PushProtocol protocol;
  std::string_view name;
  std::string_view path;
  std::string_view content_type;
  std::string (*body)(const PushedProfile&);  // nullptr: profiles are not its way
  std::string_view option = "--push";
};

// The fields of push.v1.PushRequest, RawProfileSeries, RawSample and types.v1.LabelPair.
enum class RequestField : protozero::pbf_tag_type { series = 1 };
enum class SeriesField : protozero::pbf_tag_type { labels = 1, samples = 2 };
enum class LabelField : protozero::pbf_tag_type { name = 1, value = 2 };
enum class SampleField : protozero::pbf_tag_type { raw_profile = 1, id = 2 };

void add_label(protozero::pbf_builder<SeriesField>& series, std::string_view name, std::string_view value) {
  protozero::pbf_builder<LabelField> label(series, SeriesField::labels);
  label.add_string(LabelField::name, name.data(), name.size());
  label.add_string(LabelField::value, value.data(), value.size());
}

std::string pyroscope_body(const PushedProfile& profile) {
  std::string body;
  protozero::pbf_builder<RequestField> request(body);
  protozero::pbf_builder<SeriesField> series(request, RequestField::series);
  add_label(series, "__name__", profile.name);
  for (const auto& [name, value] : profile.labels) {
    add_label(series, name == "service" ? std::string_view("service_name") : name, value);
  }
  protozero::pbf_builder<SampleField> sample(series, SeriesField::samples);
  sample.add_bytes(SampleField::raw_profile, profile.pprof.data(), profile.pprof.size());
  sample.add_string(SampleField::id, profile.id.data(), profile.id.size());
  return body;
}

std::string base64_of(std::string_view bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view part = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= part.size() ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

void write_label(JsonWriter& json, std::string_view name, std::string_view value) {
  json.begin_object();
  json.member("name", name);
  json.member("value", value);
  json.end_object();
}

// A WriteRawRequest. Its addresses are those of the files, so it says that they are normalised.
std::string parca_body(const PushedProfile& profile) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  json.member("normalized", true);
  json.begin_array("series");
  json.begin_object();
  json.begin_object("labels");
  json.begin_array("labels");
  write_label(json, "__name__", profile.name);
  for (const auto& [name, value] : profile.labels) write_label(json, name, value);
  json.end_array();
  json.end_object();
  json.begin_array("samples");
  json.begin_object();
  json.member("rawProfile", base64_of(profile.pprof));
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_document();
  return std::move(out).str();
}

constexpr std::array protocol_rows{
    ProtocolRow{.protocol = PushProtocol::pyroscope,
                .name = "pyroscope",
                .path = "/push.v1.PusherService/Push",
                .content_type = "application/proto",
                .body = pyroscope_body},
    ProtocolRow{.protocol = PushProtocol::parca,
                .name = "parca",
                .path = "/api/profiles/writeraw",
                .content_type = "application/json",
                .body = parca_body},
    ProtocolRow{.protocol = PushProtocol::clickhouse,
                .name = "clickhouse",
                .path = "/?database=",
                .content_type = "application/octet-stream",
                .body = nullptr,
                .option = "--store"},
};

const ProtocolRow& row_of(PushProtocol protocol) {
  return *std::ranges::find(protocol_rows, protocol, &ProtocolRow::protocol);
}

// `host`: with or without a port.
bool is_loopback(std::string_view host) {
  if (host == "[::1]" || host.starts_with("[::1]:")) return true;
  const std::string name(host.substr(0, host.find(':')));
  in_addr address{};
  constexpr std::uint32_t loopback_net = 127;
  return name == "localhost" || (::inet_pton(AF_INET, name.c_str(), &address) == 1 &&
                                 ntohl(address.s_addr) >> IN_CLASSA_NSHIFT == loopback_net);
}

// A URL that is taken apart. `what` names the option in errors.
class TypedUrl {
 public:
  TypedUrl(std::string_view typed, std::string what) : what_(std::move(what)), rest_(typed) {}

  [[noreturn]] void refuse(const std::string& why) const { throw usage_error(what_ + ": " + why); }

  // Removes "PROTOCOL+http://"; nullptr: it begins in another way.
  const ProtocolRow* take_protocol() {
    for (const ProtocolRow& row : protocol_rows) {
      for (const std::string_view scheme : {"http://", "https://"}) {
        if (!rest_.starts_with(std::string(row.name) + '+' + std::string(scheme))) continue;
        rest_.remove_prefix(row.name.size() + 1 + scheme.size());
        if (rest_.find_first_of("?#") != std::string_view::npos) refuse("the URL has no part for ? or #");
        scheme_ = scheme;
        return &row;
      }
    }
    return nullptr;
  }
  // The user before the host. The error does not show what may be a password.
  std::string take_user() {
    const std::size_t at = rest_.find('@');
    if (at == std::string_view::npos) return "";
    std::string user(rest_.substr(0, at));
    const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; };
    if (user.find(':') != std::string::npos) {
      refuse("a URL with a password can be read by others; --push-auth-file has it");
    }
    if (user.empty() || !std::ranges::all_of(user, is_plain)) refuse("the user of the URL has characters that need %");
    rest_.remove_prefix(at + 1);
    return user;
  }
  // "HOST", "HOST:PORT" or "[ADDRESS]:PORT".
  std::string take_host() {
    if (rest_.find('@') != std::string_view::npos) {
      refuse("a URL with a user or a password can be read by others; --push-auth-file has them");
    }
    std::string host(take_until(rest_, '/'));
    const auto is_strange = [](char c) { return c <= ' ' || c > '~' || c == '\\' || c == '"'; };
    if (std::ranges::any_of(host, is_strange)) refuse("the host of the URL has characters that no host has");
    const std::size_t bracket = host.rfind(']');
    const std::size_t colon = host.find(':', bracket == std::string::npos ? 0 : bracket);
    if (host.empty() || colon == 0) refuse("the URL has no host");
    if (colon == std::string::npos) return host;
    const auto port = parse_number<std::uint16_t>(std::string_view(host).substr(colon + 1));
    if (!port || *port == 0) refuse("the URL of " + host + " has a port that is not from 1 to 65535");
    return host;
  }
  // Without slashes at its end.
  std::string take_path() {
    const auto is_strange = [](char c) { return c <= ' ' || c > '~'; };
    if (std::ranges::any_of(rest_, is_strange)) refuse("the path of the URL has characters that need %");
    while (rest_.ends_with('/')) rest_.remove_suffix(1);
    return std::string(std::exchange(rest_, {}));
  }
  [[nodiscard]] std::string_view scheme() const { return scheme_; }

 private:
  std::string what_;
  std::string_view rest_;
  std::string_view scheme_;
};

}  // namespace

PushTarget push_target_of(std::string_view typed) {
  TypedUrl url(typed, "--push");
  const ProtocolRow* const row = url.take_protocol();
  if (row != nullptr && row->option != "--push") url.refuse("a URL of ClickHouse is for --store");
  if (row == nullptr) {
    url.refuse("not a URL that begins with pyroscope+http://, pyroscope+https://, parca+http:// or parca+https://");
  }
  const std::string host = url.take_host();
  const std::string path = url.take_path();
  std::string base = std::string(url.scheme()) + host;
  if (!path.empty()) base.append("/").append(path);
  return {.protocol = row->protocol,
          .name = std::string(row->name) + '+' + base,
          .url = base + std::string(row->path),
          .host = host,
          .user = {}};
}

PushTarget store_target_of(std::string_view typed, const std::string& what) {
  TypedUrl url(typed, what);
  const ProtocolRow* const row = url.take_protocol();
  if (row == nullptr || row->protocol != PushProtocol::clickhouse) {
    url.refuse("not a URL like clickhouse+http://HOST:8123/DATABASE, or with https");
  }
  const std::string user = url.take_user();
  const std::string host = url.take_host();
  const std::string database = url.take_path();
  const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  if (database.empty()) url.refuse("the URL of " + host + " names no database: add /DATABASE");
  if (is_digit(database.front()) || !std::ranges::all_of(database, is_plain)) {
    url.refuse("the database of the URL of " + host + " is not a name of letters, digits and _");
  }
  const std::string before = user.empty() ? "" : user + '@';
  return {.protocol = row->protocol,
          .name = std::string(row->name) + '+' + std::string(url.scheme()) + before + host + '/' + database,
          .url = std::string(url.scheme()) + host + std::string(row->path) + database,
          .host = host,
          .user = user};
}

bool is_store_url(std::string_view typed) {
  const std::string_view name = row_of(PushProtocol::clickhouse).name;
  return typed.starts_with(std::string(name) + "+http://") || typed.starts_with(std::string(name) + "+https://");
}

std::string_view option_of(PushProtocol protocol) { return row_of(protocol).option; }

std::string warning_about(const PushTarget& target, std::string_view credentials) {
  if (credentials.empty() || !target.url.starts_with("http://") || is_loopback(target.host)) return "";
  return target.name + ": the credentials are sent without encryption; +https:// encrypts";
}

std::string_view content_type_of(PushProtocol protocol) { return row_of(protocol).content_type; }

std::string request_body(PushProtocol protocol, const PushedProfile& profile) { return row_of(protocol).body(profile); }

}  // namespace profile
