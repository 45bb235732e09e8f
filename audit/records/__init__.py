"""The nouns: frozen records and protocols that all layers share."""
