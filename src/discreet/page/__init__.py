"""What people without Python open: a release as one HTML file that answers questions, and as a report for reading."""
