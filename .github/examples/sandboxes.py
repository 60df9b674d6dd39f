import json
import secrets
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def admin(method, path, key, **body):
    """Call the admin API of the replica to which this key leads."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    url = "http://localhost:8000/__admin/sandboxes" + path
    request = Request(url, json.dumps(body).encode(), headers, method=method)
    with urlopen(request) as response:
        return json.load(response)


def make_sandbox(**fields):
    """Create a sandbox on the replica to which its own key leads."""
    while True:
        name = secrets.token_hex(8)
        made = admin("POST", "", name, name=name, **fields)
        try:
            return admin("GET", f"/{name}", made["key"])
        except HTTPError:  # 404: the key leads to another replica
            admin("DELETE", f"/{name}", name)


mine = make_sandbox(ttl=60)
print(admin("DELETE", f"/{mine['name']}", mine["key"])["profile"])  # documented
