"""What names make likely, and what values are: which texts are secrets, wherever they stand."""
