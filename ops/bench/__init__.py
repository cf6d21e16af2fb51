"""Benchmarks: what the numbers of ``./stilltrue bench`` are measured with."""
