import json

import httpx
import pytest
from panel import LIST, PIN, names, pin

URL, KEY = "http://service", "key"
OK = {"code": 200, "statusText": "", "message": "", "data": None}


def test_a_pin_is_sent(respx_mock):
    route = respx_mock.put(URL + PIN).respond(json=OK)
    pin(URL, KEY)
    assert route.call_count == 1
    assert json.loads(route.calls.last.request.content)["top"] is True


def test_an_error_is_tried_again(respx_mock):
    route = respx_mock.put(URL + PIN)
    route.side_effect = [httpx.Response(503), httpx.Response(200, json=OK)]
    pin(URL, KEY)
    assert route.call_count == 2


def test_a_broken_connection_is_told(respx_mock):
    respx_mock.put(URL + PIN).mock(side_effect=httpx.ReadError)
    with pytest.raises(httpx.TransportError):
        pin(URL, KEY)


def test_names_are_listed(respx_mock):
    page = {"list": [{"name": "Prices"}], "total": 1}
    respx_mock.post(URL + LIST).respond(json={**OK, "data": page})
    assert names(URL, KEY) == ["Prices"]
