"""What networks have beside convolutions, on all cores: pooling, resizing, permuted axes, batch norm."""
