"""Releases of FastGPT: what each does otherwise than FastGPT 4.16."""
