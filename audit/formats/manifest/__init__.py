"""Manifests: lists of files with their digests, in the forms that are in use."""
