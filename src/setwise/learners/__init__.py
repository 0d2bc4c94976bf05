"""From Gram matrices to predictions and embeddings, in scikit-learn's manner, with sets in the place of rows."""
