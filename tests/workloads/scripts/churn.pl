# Makes functions, runs them and forgets them: a_N calls b_N, and b_N calls c_N.
use strict;
use warnings;

my $number = 0;
while (1) {
    $number++;
    eval "sub a_$number { b_$number() } sub b_$number { c_$number() }
          sub c_$number { my \$total = 0; for (my \$n = 0; \$n < 3000; \$n++) { \$total += \$n % 7 } return \$total } 1" or die;
    no strict 'refs';
    &{"a_$number"}();
    for my $letter (qw(a b c)) {
        undef &{"${letter}_$number"};
        delete $main::{"${letter}_$number"};
    }
}
