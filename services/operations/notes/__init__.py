"""Operations on semantic notes, and on operations that last."""
