"""What a tensor is before it has elements: its extents."""
