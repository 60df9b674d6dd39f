"""Implements `ClientMachine`, a state machine that tests a client."""
