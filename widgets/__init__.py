"""One widget a file: values in, messages out."""
