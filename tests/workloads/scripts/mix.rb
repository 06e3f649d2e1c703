# A chain of known calls, as in mix.py: each function is named for its way of being called, and the depth decides which
# one comes next.
#   mix.rb DEPTH [threads]

def burn
  total = 0
  i = 0
  while i < 2000
    total += i * i % 7
    i += 1
  end
  total
end

class Made
  attr_reader :value

  def initialize(left)
    @value = go(left)
  end
end

class Plain
  def method_missing(name, left)
    go(left)
  end

  def respond_to_missing?(*)
    true
  end

  define_method(:defined) { |left| go(left) }
end

def yielding(left)
  yield left
end

def direct(left)
  go(left)
end

def by_each(left)
  value = nil
  [left].each { |n| value = go(n) }
  value
end

def by_map(left)
  [left].map { |n| go(n) }.first
end

def by_sort(left)
  [1, 2].sort { |one, other| go(left) < 0 ? 1 : 0 }.first
end

def by_proc(left)
  proc { |n| go(n) }.call(left)
end

def by_lambda(left)
  ->(n) { go(n) }.call(left)
end

def by_send(left)
  send(:go, left)
end

def by_method(left)
  method(:go).call(left)
end

def by_new(left)
  Made.new(left).value
end

def by_missing(left)
  Plain.new.anything(left)
end

def by_yield(left)
  yielding(left) { |n| go(n) }
end

def by_define(left)
  Plain.new.defined(left)
end

def by_rescue(left)
  raise 'no'
rescue StandardError
  go(left)
end

def by_gsub(left)
  'a'.gsub(/a/) { go(left).to_s }.size
end

def by_inject(left)
  [1, 2].inject { |one, other| go(left) }
end

def by_times(left)
  value = nil
  1.times { value = go(left) }
  value
end

WAYS = %i[direct by_each by_map by_sort by_proc by_new by_rescue by_lambda by_send by_gsub by_method by_missing by_yield
          by_define by_inject by_times].freeze

def go(left)
  return burn if left <= 0

  way = WAYS[left % WAYS.size]
  case way
  when :direct then direct(left - 1)
  when :by_each then by_each(left - 1)
  when :by_map then by_map(left - 1)
  when :by_sort then by_sort(left - 1)
  when :by_proc then by_proc(left - 1)
  when :by_lambda then by_lambda(left - 1)
  when :by_send then by_send(left - 1)
  when :by_method then by_method(left - 1)
  when :by_new then by_new(left - 1)
  when :by_missing then by_missing(left - 1)
  when :by_yield then by_yield(left - 1)
  when :by_define then by_define(left - 1)
  when :by_rescue then by_rescue(left - 1)
  when :by_gsub then by_gsub(left - 1)
  when :by_inject then by_inject(left - 1)
  else by_times(left - 1)
  end
end

def main(depth)
  go(depth) while true
end

depth = ARGV[0].to_i
Thread.new { main(depth) } if ARGV[1]
main(depth)
