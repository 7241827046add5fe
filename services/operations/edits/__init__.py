"""Operations of structured edits, which the meaning of every name they touch is checked for."""
