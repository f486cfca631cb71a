"""ReCo: what would a language model write in place of this unit?"""
