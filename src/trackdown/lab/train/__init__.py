"""Mined examples → weights: the encoder, the cross-encoder, the static table, fusion. Needs the extra `train`."""
