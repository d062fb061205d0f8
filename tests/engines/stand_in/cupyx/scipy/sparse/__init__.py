"""A stand-in for cupyx.scipy.sparse."""

from scipy.sparse import csr_matrix as csr_matrix
