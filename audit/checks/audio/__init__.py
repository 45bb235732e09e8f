"""Checks of audio: how clips are stored."""
