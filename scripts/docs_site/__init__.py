"""The documentation site: pages from the repository, and a reference made from the code."""
