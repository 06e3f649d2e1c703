// Every user stack is main, shop::Shelf<int>::restock(int) and one of two leaves, with costs of 2:1: shop::(anonymous
// namespace)::count<unsigned long>(unsigned long) and shop::Price::operator+=(shop::Price const&).
#include "workload.h"

namespace shop {
namespace {

template <class Number>
__attribute__((noinline)) void count(Number turns) {
  WORK(turns);
}

}  // namespace

struct Price {
  __attribute__((noinline)) Price& operator+=(const Price& other) {
    WORK(other.cents);
    return *this;
  }
  unsigned long cents;
};

template <class Item>
struct Shelf {
  __attribute__((noinline)) void restock(Item items) {
    price.cents = next_unit();
    count(2 * price.cents * static_cast<unsigned long>(items));
    price += price;
  }
  Price price;
};

template struct Shelf<int>;

}  // namespace shop

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  shop::Shelf<int> shelf{{0}};
  while (goes_on) shelf.restock(1);
}
