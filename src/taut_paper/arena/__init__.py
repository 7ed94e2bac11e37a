"""COCO's suite bbob-constrained: a public arena of 54 constrained functions."""
