"""DVC's own files, read without DVC: bytes in, records out."""
