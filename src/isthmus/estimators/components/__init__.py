"""Parts that several families of estimators share."""
