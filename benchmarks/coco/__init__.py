"""The arena: COCO's bbob-constrained. Reading order: optima, rows, rivals (ego, botorch_cei, scbo, cobyqa_), targets,
pictures, page."""
