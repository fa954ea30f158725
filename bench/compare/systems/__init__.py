"""One adapter a file: the class `System` of each module stores texts in a peer and finds them."""
