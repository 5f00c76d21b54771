"""The trusted part: random bits, the exact sampler, the ledger, and the one function that turns counts into a release.

Nothing here imports the rest of the package but ``errors`` and ``guarantee``: it is meant to be read in one sitting.
"""
