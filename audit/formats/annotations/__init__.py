"""Annotations of pictures and manifests of clips, from bytes to records, in the forms that are in use."""
