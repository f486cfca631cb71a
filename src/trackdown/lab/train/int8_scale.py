"""How finely the int8 graph rounds: training and export share it, and each needs a library that the other lacks."""

WEIGHT_STEPS, ACTIVATION_STEPS = 63, 127
"""How many steps the largest value of a matrix's column has, and that of a token's activations."""
