"""The engine of the GPU: CuPy arrays, and kernels in CUDA for the passes over documents.

CuPy is imported only here, when a fit uses the GPU. ``device`` finds it and explains what is
missing. ``layout`` copies a matrix to the memory of the device by rows, ``panels`` by columns, for
products with the transpose. ``csr`` and ``chunked`` are the documents, ``engine`` the dense
factors. The CUDA sources are in ``kernels``.
"""
