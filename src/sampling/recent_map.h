// A map of bounded size that forgets what was not used for longest, so that many new keys do not empty it at once.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace profile {

template <class Key, class Value, class Order>
class RecentMap {
 public:
  // It has at least the `least` keys used last, and at most twice as many.
  explicit RecentMap(std::size_t least) : least_(least) {}

  // As in std::map. Valid until the next call.
  Value& operator[](const Key& key) {
    const auto known = young_.find(key);
    if (known != young_.end()) return known->second;
    auto before = old_.extract(key);
    if (young_.size() >= least_) old_ = std::exchange(young_, {});
    if (before) return young_.insert(std::move(before)).position->second;
    return young_[key];
  }
  void erase(const Key& key) {
    young_.erase(key);
    old_.erase(key);
  }

 private:
  using Map = std::map<Key, Value, Order>;
  std::size_t least_;
  Map young_;
  Map old_;
};

}  // namespace profile
