// Reads JSON without a document in memory. The caller builds a tree of nodes with callbacks for the places it wants,
// and each node is called with the value at its place. Values without a node are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "input/byte_source.h"

namespace profile {

class JsonNumber {
 public:
  explicit JsonNumber(std::uint64_t whole) : whole_(whole), number_(static_cast<double>(whole)), is_whole_(true) {}
  explicit JsonNumber(double number) : number_(number) {}

  // Throws Error, which names `what`, unless it is a whole number from 0 to `most`.
  [[nodiscard]] std::uint64_t whole(const char* what, std::uint64_t most = UINT64_MAX) const;
  [[nodiscard]] std::uint32_t index(const char* what) const {
    return static_cast<std::uint32_t>(whole(what, UINT32_MAX - 1));
  }
  [[nodiscard]] double number() const { return number_; }

 private:
  std::uint64_t whole_ = 0;
  double number_;
  bool is_whole_ = false;
};

class JsonNode {
 public:
  using OnText = std::function<void(std::string_view)>;
  using OnNumber = std::function<void(const JsonNumber&)>;
  using OnNode = std::function<void()>;

  // Child nodes: operator[] for the member `name` of an object, each() for all elements of an array.
  JsonNode& operator[](std::string_view name);
  JsonNode& each();
  JsonNode& text(OnText call) { return text_ = std::move(call), *this; }
  JsonNode& number(OnNumber call) { return number_ = std::move(call), *this; }
  JsonNode& truth(std::function<void(bool)> call) { return truth_ = std::move(call), *this; }
  // Called where an object or an array begins and ends.
  JsonNode& begin(OnNode call) { return begin_ = std::move(call), *this; }
  JsonNode& end(OnNode call) { return end_ = std::move(call), *this; }

 private:
  friend class JsonWalk;
  std::map<std::string, std::unique_ptr<JsonNode>, std::less<>> members_;
  std::unique_ptr<JsonNode> each_;
  OnText text_;
  OnNumber number_;
  std::function<void(bool)> truth_;
  OnNode begin_;
  OnNode end_;
};

// Reads all JSON documents of the input, one after the other. `root` is called for each. An Error says where it is:
// "NAME:LINE: why", and in a long line also the byte.
void read_json(ByteSource& bytes, const std::string& name, const JsonNode& root);

}  // namespace profile
