"""Every regular expression of the package, tried on long hostile texts made from itself."""
