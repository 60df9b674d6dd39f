"""The names of the environment variables that are settings."""

MAX_SECONDS = 86_400.0
"""The longest that MOCK_SERVER_TIMEOUT can be: a day."""
PREFIX = "MOCK_SERVER_"
_NAMES = (
    "admin-token",
    "allowed-host",
    "choice",
    "cors-origin",
    "demo",
    "fault",
    "fixture",
    "host",
    "http",
    "log-format",
    "memory",
    "metrics",
    "port",
    "profile",
    "sandbox",
    "strict-settings",
    "timeout",
    "url",
    "watch",
)
# The commands that have the options are loaded one by one, and a health check must not
# load them all. So the names stand here: no option can have a variable without one.
VARIABLES = {name: PREFIX + name.upper().replace("-", "_") for name in _NAMES}
"""The variables by the names of their options."""
PULL_KEY = PREFIX + "PULL_KEY"
VERIFY_KEY = PREFIX + "VERIFY_KEY"
"""Where `pull` and `verify` look for a service's API key, which no option can hold."""
