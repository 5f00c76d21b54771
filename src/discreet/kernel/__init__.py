"""The trusted part: random bits, the exact sampler, the ledger, and the one function that turns counts into a release.

Of the rest of the package it imports ``errors``, ``guarantee``, ``conversion`` and ``balls`` alone: it is meant to be read in
one sitting.
"""
