"""Self-training, co-training and transductive SVM."""
