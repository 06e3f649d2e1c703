#include "push/target.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_builder.hpp>
#include <sstream>
#include <utility>

#include "output/json_writer.h"
#include "support/error.h"
#include "support/text_parts.h"

namespace profile {
namespace {

struct ProtocolRow {
  PushProtocol protocol;
  std::string_view name;
  std::string_view path;
  std::string_view content_type;
  std::string (*body)(const PushedProfile&);
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
};

const ProtocolRow& row_of(PushProtocol protocol) {
  return *std::ranges::find(protocol_rows, protocol, &ProtocolRow::protocol);
}

[[noreturn]] void refuse(const std::string& why) { throw usage_error("--push: " + why); }

// "HOST", "HOST:PORT" or "[ADDRESS]:PORT".
void check_host(std::string_view host) {
  const auto is_strange = [](char c) { return c <= ' ' || c > '~' || c == '\\' || c == '"'; };
  if (std::ranges::any_of(host, is_strange)) refuse("the host of the URL has characters that no host has");
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (host.empty() || colon == 0) refuse("the URL has no host");
  if (colon == std::string_view::npos) return;
  const auto port = parse_number<std::uint16_t>(host.substr(colon + 1));
  if (!port || *port == 0) refuse("the URL of " + std::string(host) + " has a port that is not from 1 to 65535");
}

}  // namespace

PushTarget push_target_of(std::string_view typed) {
  std::string_view rest = typed;
  const auto* const row = std::ranges::find_if(protocol_rows, [&](const ProtocolRow& each) {
    return rest.starts_with(std::string(each.name) + "+http://") ||
           rest.starts_with(std::string(each.name) + "+https://");
  });
  if (row == protocol_rows.end()) {
    refuse("not a URL that begins with pyroscope+http://, pyroscope+https://, parca+http:// or parca+https://");
  }
  take_until(rest, '+');
  const std::string_view scheme = rest.substr(0, rest.find("://") + 3);
  rest.remove_prefix(scheme.size());
  if (rest.find_first_of("?#") != std::string_view::npos) refuse("the URL has no part for ? or #");
  std::string_view path = rest;
  const std::string_view host = take_until(path, '/');
  if (rest.find('@') != std::string_view::npos) {
    refuse("a URL with a user or a password can be read by others; --push-auth-file has them");
  }
  check_host(host);
  const auto is_strange = [](char c) { return c <= ' ' || c > '~'; };
  if (std::ranges::any_of(path, is_strange)) refuse("the path of the URL has characters that need %");
  while (path.ends_with('/')) path.remove_suffix(1);
  std::string base = std::string(scheme) + std::string(host);
  if (!path.empty()) base.append("/").append(path);
  return {.protocol = row->protocol,
          .name = std::string(row->name) + '+' + base,
          .url = base + std::string(row->path),
          .host = std::string(host)};
}

std::string_view content_type_of(PushProtocol protocol) { return row_of(protocol).content_type; }

std::string request_body(PushProtocol protocol, const PushedProfile& profile) { return row_of(protocol).body(profile); }

}  // namespace profile
