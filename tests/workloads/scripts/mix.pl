# A chain of known calls, as in mix.py: each function is named for its way of being called, and the depth decides which
# one comes next.
#   mix.pl DEPTH
use strict;
use warnings;
use List::Util qw(first reduce);

package Made;
sub new { my ($class, $left) = @_; return bless { value => main::go($left) }, $class; }  # at Made::new

package Plain;
our $AUTOLOAD;
use overload '""' => sub { main::go($_[0]{left}); return 'x'; };  # at Plain::<__ANON__>
sub new { my ($class, $left) = @_; return bless { left => $left }, $class; }
sub method { my ($self) = @_; return main::go($self->{left}); }  # at Plain::method
sub AUTOLOAD { my ($self) = @_; return main::go($self->{left}); }  # at Plain::AUTOLOAD
sub DESTROY { }

package Dying;
sub new { my ($class, $left) = @_; return bless { left => $left }, $class; }
sub DESTROY { my ($self) = @_; main::go($self->{left}); return; }  # at Dying::DESTROY

package Tied;
sub TIESCALAR { my ($class, $left) = @_; return bless { left => $left }, $class; }
sub FETCH { my ($self) = @_; return main::go($self->{left}); }  # at Tied::FETCH

package main;

our $left_to_sort;

sub burn {
    my $total = 0;
    for (my $i = 0; $i < 1500; $i++) { $total += $i * $i % 7 }
    return $total;
}
sub direct { return go($_[0]) }  # at direct
sub by_map { my ($left) = @_; my @made = map { go($left) } (1); return $made[0] }  # at by_map
sub by_sort {
    my ($left) = @_;
    my @made = sort { go($left); $a <=> $b } (2, 1);  # at by_sort
    return 0;
}
sub compared {
    go($left_to_sort);  # at compared
    return $a <=> $b;
}
sub by_compare {
    local $left_to_sort = $_[0];
    my @made = sort compared (2, 1);  # at by_compare
    return 0;
}
sub by_first {
    my ($left) = @_;
    my $made = first { go($left); 1 } (1);  # at by_first by_first<__ANON__>
    return 0;
}
sub by_reduce {
    my ($left) = @_;
    my $made = reduce { go($left); 1 } (1, 2);  # at by_reduce by_reduce<__ANON__>
    return 0;
}
sub by_new {
    my ($left) = @_;
    return Made->new($left)->{value};  # at by_new
}
sub by_method {
    my ($left) = @_;
    my $name = 'method';
    return Plain->new($left)->$name();  # at by_method
}
sub by_autoload {
    my ($left) = @_;
    return Plain->new($left)->anything();  # at by_autoload
}
sub by_destroy {
    my ($left) = @_;
    my $made = Dying->new($left);
    undef $made;  # at by_destroy
    return 0;
}
sub by_tie {
    my ($left) = @_;
    tie my $value, 'Tied', $left;
    my $got = $value;  # at by_tie
    return 0;
}
sub by_eval { my ($left) = @_; my $made = eval { go($left) }; return 0 }  # at by_eval
sub by_evals {
    my ($left) = @_;
    eval { eval { go($left) }; 1 };  # at by_evals
    return 0;
}
sub by_text {
    my ($left) = @_;
    eval 'go($left); 1' or die;  # at by_text
    return 0;
}
sub by_die {
    my ($left) = @_;
    eval { die "no\n" };
    return go($left);  # at by_die
}
sub by_pattern {
    my ($left) = @_;
    my $text = 'a';
    $text =~ s/a/go($left)/e;  # at by_pattern
    return 0;
}
sub by_code {
    my ($left) = @_;
    'a' =~ /a(?{ go($left) })/;  # at by_code
    return 0;
}
sub by_reference { my ($left) = @_; my $call = \&go; return $call->($left) }  # at by_reference
sub by_overload {
    my ($left) = @_;
    my $text = '' . Plain->new($left);  # at by_overload
    return 0;
}
sub by_closure {
    my ($left) = @_;
    my $call = sub { go($left) };  # at by_closure<__ANON__>
    return $call->();  # at by_closure
}
sub jumped { return go($_[0]) }  # at jumped
sub by_goto { goto &jumped }
sub by_local {
    my ($left) = @_;
    local $SIG{__WARN__} = sub { go($left) };  # at by_local<__ANON__>
    warn "x\n";  # at by_local
    return 0;
}

our @ways = qw(direct by_map by_sort by_eval by_compare by_first by_evals by_reduce by_new by_text by_method by_autoload
               by_eval by_destroy by_tie by_die by_pattern by_eval by_code by_reference by_overload by_evals by_closure
               by_goto by_local by_text);
my %way_of = map { my $name = $_; no strict 'refs'; ($name => \&$name) } @ways;

sub go {
    my ($left) = @_;
    return burn() if $left <= 0;  # at go:burn
    return $way_of{ $ways[$left % @ways] }->($left - 1);  # at go
}

sub main {
    my ($depth) = @_;
    while (1) { go($depth) }  # at main
}

main($ARGV[0] || 30);
