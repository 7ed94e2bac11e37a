"""Sizes of blocks, chosen for memory and for the processor's cache: they never change an answer beyond rounding."""

MEAN_BLOCK = 2_000_000  # correlations formed at a time where only means are asked for
SQUARES_KEPT = 2_000_000  # squared differences kept between evaluations of a likelihood; more are formed input by input
INVERTED_ROWS = 300  # rows up to which the inverse of a factor is worth its time and memory
PACKED_ROWS = 1024  # rows above which a factor is kept in half the memory
UPDATE_BLOCK = 16384  # values of a look-ahead worked on at a time
SURVEYED = 512  # points at a time whose beliefs are computed for pictures
CDF_BLOCK = 8192  # values of the normal distribution worked on at a time
CDF_TABLED = 1000  # values from which on a table of the normal distribution is worth its calls
STUDENT_TABLED = 64  # values from which on a table of a Student-t distribution is
