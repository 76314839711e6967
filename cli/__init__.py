"""The command line: click commands, print mode, the wire and the REPL."""
