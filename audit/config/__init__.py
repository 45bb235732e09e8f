"""Strict YAML to typed rules, packs, and their JSON Schema."""
