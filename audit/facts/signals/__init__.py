"""Facts about audio and pictures: headers read here, content examined in programs that can be killed."""
