"""A meeting place: where many constraints are in play, functions are asked at one place, one after the other.

The Knowledge Gradient asks what one more value changes. Where many walls forbid the way, a value of one of them is
worth most somewhere along that wall, and each wall has a place of its own: many values are known, and no design. That
values at one place support each other, because a design is feasible where *all* constraints are known to hold, takes
more than one step to see. So with more than three constraints in play the choice is made at the maximum x_c of
constrained expected improvement, if a function k is worth nearly as much per cost there,

    KG^k(x_c) / cost_k >= 0.2 max over S, x of KG^S(x) / cost_S

and where the best choice is elsewhere by more than that, it is made there.
"""

from __future__ import annotations

from taut.policy.context import Context
from taut.policy.ei import maxima
from taut.policy.menu import Candidate, best_candidate, ranked
from taut.policy.search.ei_maxima import open_bundles
from taut.policy.search.finalists import Finalists, FirstLook, nothing


def crowded(context: Context, look: FirstLook) -> bool:
    """Are so many constraints in play, anywhere the search looks, that there is a meeting place?"""
    settings = context.settings.finish
    in_play = [k for k in look.criterion.informative(context.menu.everything) if k]
    return settings.meet and len(in_play) >= settings.meet_from


def met(context: Context, look: FirstLook, candidates: list[Candidate]) -> list[Candidate]:
    """The choice at the meeting place alone, if it is worth enough; otherwise the candidates, best first."""
    if not crowded(context, look) or (choice := _at_meeting_place(context, look)) is None:
        return candidates
    best = max((each.value_per_cost for each in candidates), default=0.0)
    return [choice] if choice.value_per_cost >= context.settings.finish.meet_share * best else candidates


def _at_meeting_place(context: Context, look: FirstLook) -> Candidate | None:
    """The best single bundle at the best maximum of cEI where anything is open; None if it has no value."""
    centre, menu, most = context.optimum.centre, context.menu, context.settings.finish.meet_leaders
    places = ((x, open_bundles(context, x)) for x in maxima(context, centre).x)
    x, bundles = next(((x, found) for x, found in places if found), (context.optimum.x, []))
    at = look.criterion.at(x[None, :])
    rough = [menu.candidate(x, S, float(look.criterion.value(at, S)[0])) for S in bundles]
    informative = [each for each in rough if look.criterion.informative(each.S) and menu.affordable(each.S, x)]
    if not informative:
        return None
    finalists = Finalists.of(context, look.ahead, look.winners, ranked(informative)[:most])
    valued = [each for each in finalists.candidates if each.value > nothing(context)]
    return best_candidate(valued) if valued else None


def between_looks(context: Context) -> int:
    """Finishing decisions between looks, where constraints meet: all functions once round."""
    return len(context.request.problem.bundles) if context.settings.finish.meet else 0
