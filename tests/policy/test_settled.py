"""Questions about the same data share one belief."""

from dataclasses import replace

import numpy as np
from states import known

from taut.policy import make

FAST = {"inner": 48, "raw": 24, "starts": 2, "search_raw": 96, "search_starts": 6}


def test_questions_about_the_same_data_share_a_belief_and_answer_as_if_asked_alone() -> None:
    request, policy = replace(known("mystery", 12), cache={}), make("dckg", options=FAST)
    best = policy.recommend(request, np.random.default_rng(5))
    shared = request.cache[" settled"]
    judged = policy.relevance(request, np.random.default_rng(5))
    assert request.cache[" settled"] is shared
    alone = replace(request, cache={})
    assert judged == policy.relevance(alone, np.random.default_rng(5))
    assert np.array_equal(policy.recommend(alone, np.random.default_rng(5)).point, best.point)
    changes = ({"memory": {"best": [0.1, 0.2]}}, {"remaining": 3.0}, {"budget": 9.0}, {"verify": True})
    for changed in (replace(request, **change) for change in changes):
        policy.recommend(changed, np.random.default_rng(5))
        assert request.cache[" settled"] is not shared
        request.cache[" settled"] = shared
    data = request.dataset
    later = replace(request, dataset=replace(data, y=(data.y[0] + 0.1, *data.y[1:])))
    policy.recommend(later, np.random.default_rng(5))
    assert request.cache[" settled"] is not shared
