"""One file a command. `setwise.cli` imports a file only when its command is called."""
