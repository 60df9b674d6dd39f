"""Time: the system's and a sandbox's, and waiting for news."""
