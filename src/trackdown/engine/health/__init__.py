"""Is everything here that searches need, and is it whole?"""
