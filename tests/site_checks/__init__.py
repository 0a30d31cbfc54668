"""The checks of the built site that take longer than a test should: `make site-check`."""
