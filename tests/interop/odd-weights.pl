#!/usr/bin/perl
# Writes a file of weights that is of the right shape and otherwise drawn at random, from a seed: under it Halide chooses what it would never
# choose under its own, Funcs computed in threads among it.
use strict;
use warnings;

my ($seed) = @ARGV;
sub draw {
	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	return $seed / 2147483648 - 0.5;
}
binmode STDOUT;
print pack 'V4', 0x68776631, 3, 3, 6;
for my $shape ([8, 40, 7], [8], [24, 73], [24], [32, 32], [32]) {
	my $n = 1;
	$n *= $_ for @$shape;
	print pack 'V*', scalar @$shape, @$shape;
	print pack 'f<*', map { draw() } 1 .. $n;
}
