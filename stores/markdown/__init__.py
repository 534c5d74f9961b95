"""The Markdown binding: the reference layout of §7.3, read losslessly."""
