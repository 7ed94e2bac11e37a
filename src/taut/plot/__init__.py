"""Pictures of a study: numbers first (data), then drawn by Matplotlib (extra `plot`) or as a page.

Reading order: thin, progress, money, choices, surfaces, limits, state, gather, data, page.words, draw, page.svg,
page.charts, page.maps, page.answer, page.course, page.trust, page.shape, page.frame, page.page.
"""

from taut.plot import data as data
from taut.plot.draw import boundaries as boundaries
from taut.plot.draw import convergence as convergence
from taut.plot.draw import decisions as decisions
from taut.plot.draw import relevance as relevance
from taut.plot.draw import slices as slices
from taut.plot.draw import spending as spending
