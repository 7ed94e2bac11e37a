"""The arena: COCO's bbob-constrained. Reading order: optima, trial, rivals (ego, log_cei, scbo, quadratic), rows,
targets, words, pictures, page."""
