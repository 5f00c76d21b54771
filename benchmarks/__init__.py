"""Speed, as ratios against peers in one run. `make bench` sets up their environment, measures and writes the page."""
