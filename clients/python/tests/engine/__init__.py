"""Tests of everything without I/O.

They need the standard library only: ``python3 -m unittest discover -s tests/engine``.
"""
