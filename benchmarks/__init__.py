"""Speed, measured on whatever machine this runs on: `docs/benchmarks.md` says how."""
