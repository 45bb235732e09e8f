"""Plain files against plain manifests."""
