"""A server that speaks S3, for all that is kept or found there."""

from support.s3 import bucket, s3

__all__ = ["bucket", "s3"]
