import time

import pytest
from panel import LIST, PIN, http, names, pin
from werkzeug import Response

OK = {"code": 200, "statusText": "", "message": "", "data": None}
PAGE = {**OK, "data": {"list": [{"name": "Prices"}], "total": 1}}


def test_a_pin_comes_before_the_list(httpserver):
    headers = {"Authorization": "Bearer key"}
    httpserver.expect_ordered_request(PIN, "PUT", headers=headers).respond_with_json(OK)
    httpserver.expect_ordered_request(LIST, "POST").respond_with_json(PAGE)
    url = httpserver.url_for("").rstrip("/")
    pin(url, "key")
    assert names(url, "key") == ["Prices"]
    httpserver.check()


def test_a_slow_answer_is_waited_for(httpserver):
    def slow(_request):
        time.sleep(0.05)
        return Response('{"data": null}', content_type="application/json")

    httpserver.expect_request(PIN).respond_with_handler(slow)
    pin(httpserver.url_for("").rstrip("/"), "key")
    assert httpserver.log[0][0].json["chatId"] == "delivery-late"


def test_a_wrong_key_is_refused(httpserver):
    refused = {**OK, "code": 403, "statusText": "forbidden"}
    httpserver.expect_request(PIN).respond_with_json(refused, status=403)
    with pytest.raises(http.HTTPError):
        pin(httpserver.url_for("").rstrip("/"), "theirs")
