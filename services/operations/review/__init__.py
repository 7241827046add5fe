"""Operations on change sets and on reviews of them."""
