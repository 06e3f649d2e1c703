# Makes functions, runs them and forgets them: a_N calls b_N, and b_N calls c_N.
number = 0
while true
  number += 1
  eval <<~RUBY
    made = Class.new do
      def a_#{number}; b_#{number}; end
      def b_#{number}; c_#{number}; end
      def c_#{number}
        total = 0
        n = 0
        while n < 10000
          total += n % 7
          n += 1
        end
        total
      end
    end
    made.new.a_#{number}
  RUBY
end
