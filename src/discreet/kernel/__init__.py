"""The trusted part: random bits, exact draws, the ledger, and one door, ``publish``, through which private numbers leave.

Of the rest of the package it imports ``errors``, ``guarantee``, ``arrays``, ``conversion`` and ``balls`` alone: it is meant to
be read in one sitting.
"""
