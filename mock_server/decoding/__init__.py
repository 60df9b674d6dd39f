"""JSON to values, and values to types. Wrong input is refused."""
