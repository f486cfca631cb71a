"""ReCo: a language model rewrites units in its own style, so that queries match them better."""
