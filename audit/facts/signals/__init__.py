"""Facts about audio, pictures and arrays: headers read here, content examined in programs that can be killed."""
