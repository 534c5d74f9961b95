"""The console's widgets, one a file. Each draws lines of spans (`tui.lines`), never markup."""
