"""DVC: data, cache, remotes and pipelines are what was recorded."""
