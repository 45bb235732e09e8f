"""Checks of audio: sample rates and formats, whole files, content, and the manifests that describe them."""
