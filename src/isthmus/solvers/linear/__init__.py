"""Linear classifiers over products with the documents: logistic regression and a linear SVM."""
