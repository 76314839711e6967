"""The permission rules: grammar, matching and the one pure decision."""
