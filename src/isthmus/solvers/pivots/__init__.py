"""Features from pivots and from marginalized denoising."""
