"""Text, streams and remote tables brought into Arrow files of typed columns, once."""
