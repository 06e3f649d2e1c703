// A pprof profile that was read back, and its text, similar to the text of `go tool pprof -raw`.
// The golden files contain this text.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace profile::test {

struct PprofProfile {
  using ValueType = std::pair<std::string, std::string>;
  struct Label {
    std::string key;
    std::string value;
    bool is_number = false;
  };
  struct Sample {
    std::vector<std::uint64_t> locations;
    std::vector<std::int64_t> values;
    std::vector<Label> labels;
  };
  struct Line {
    std::uint64_t function = 0;
    std::int64_t line = 0;
  };
  struct Location {
    std::uint64_t mapping = 0;
    std::uint64_t address = 0;
    std::vector<Line> lines;
  };
  struct Function {
    std::string name;
    std::string file;
  };
  struct Mapping {
    std::string file;
    std::string build_id;
    std::string knows;  // those of "functions files lines inlined" that the mapping has
    std::uint64_t start = 0;
    std::uint64_t limit = 0;
    std::uint64_t offset = 0;
  };

  std::vector<ValueType> types;
  std::vector<Sample> samples;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<std::uint64_t, Location> locations;
  std::map<std::uint64_t, Function> functions;
  std::vector<std::string> texts;
  std::vector<std::string> comments;
  ValueType period_type;
  std::string default_type;
  std::int64_t period = 0;
  std::int64_t duration_ns = 0;
  std::int64_t time_ns = 0;

  [[nodiscard]] std::int64_t total(std::size_t type) const {
    std::int64_t sum = 0;
    for (const Sample& sample : samples) sum += sample.values.at(type);
    return sum;
  }
  [[nodiscard]] std::string label(const Sample& sample, const std::string& key) const {
    for (const Label& label : sample.labels) {
      if (label.key == key) return label.value;
    }
    return "";
  }
  // The frames of a sample, leaf first, each as "name", "name file:line" or "<file of the code>".
  [[nodiscard]] std::vector<std::string> frames(const Sample& sample) const {
    std::vector<std::string> all;
    for (const std::uint64_t id : sample.locations) {
      const Location& location = locations.at(id);
      if (location.lines.empty()) all.push_back("<" + mappings.at(location.mapping).file + ">");
      for (const Line& line : location.lines) {
        const Function& function = functions.at(line.function);
        std::string text = function.name;
        if (!function.file.empty()) text += " " + function.file;
        if (line.line != 0) text += ":" + std::to_string(line.line);
        all.push_back(text);
      }
    }
    return all;
  }
};

inline std::string dumped(const PprofProfile& read) {
  std::ostringstream out;
  for (const std::string& comment : read.comments) out << "comment " << comment << '\n';
  for (const auto& [type, unit] : read.types) out << "type " << type << '/' << unit << '\n';
  out << "period " << read.period << ' ' << read.period_type.first << '/' << read.period_type.second << '\n';
  out << "default " << read.default_type << "\nduration_ns " << read.duration_ns << '\n';
  for (const auto& sample : read.samples) {
    out << "sample";
    for (const std::int64_t value : sample.values) out << ' ' << value;
    for (const auto& label : sample.labels) out << ' ' << label.key << (label.is_number ? "#" : "=") << label.value;
    out << '\n';
    for (const std::string& frame : read.frames(sample)) out << "  " << frame << '\n';
  }
  out << std::hex;
  for (const auto& [id, location] : read.locations) {
    out << "location 0x" << location.address;
    if (location.mapping != 0) out << ' ' << read.mappings.at(location.mapping).file;
    for (const auto& line : location.lines) out << " | " << read.functions.at(line.function).name;
    out << '\n';
  }
  for (const auto& [id, mapping] : read.mappings) {
    out << "mapping " << mapping.file;
    if (!mapping.build_id.empty()) out << " id " << mapping.build_id;
    if (!mapping.knows.empty()) out << " knows " << mapping.knows;
    out << '\n';
  }
  return out.str();
}

}  // namespace profile::test
