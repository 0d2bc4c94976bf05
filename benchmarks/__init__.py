"""What setwise costs in time and memory, beside the libraries one would use without it."""
