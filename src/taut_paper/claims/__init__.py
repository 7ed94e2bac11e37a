"""The claims of the paper and the rules that judge them."""
