"""Models and what they compute: a static table, an encoder, a cross-encoder, language models, and their registry."""
