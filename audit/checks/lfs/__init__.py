"""Git LFS: content where content should be."""
