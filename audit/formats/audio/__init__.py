"""Headers of audio files, from bytes to records."""
