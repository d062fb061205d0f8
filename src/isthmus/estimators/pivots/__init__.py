"""Features from pivots, and marginalized denoising."""
