"""What knows nothing of studies: errors, numbers, arrays, and the numerical tools that everything rests on.

Reading order: secrets, printable, markup, errors, arrays, numbers, knob, threads, blocks, quasirandom, normal, ascend,
slsqp, levels, alternate, limits, region, domain, distinct, triangular.
"""
