import json

import responses
from panel import CREATE, PIN, make_folder, pin
from responses.matchers import header_matcher, json_params_matcher

URL, KEY = "http://service", "key"
OK = {"code": 200, "statusText": "", "message": "", "data": None}


@responses.activate
def test_a_folder_gets_an_id():
    made = []

    def create(request):
        made.append(json.loads(request.body)["name"])
        return 200, {}, json.dumps({**OK, "data": f"folder-{len(made)}"})

    responses.add_callback("POST", URL + CREATE, create)
    assert make_folder(URL, KEY, "Drafts") == "folder-1"
    assert make_folder(URL, KEY, "Old") == "folder-2"
    assert made == ["Drafts", "Old"]


@responses.activate
def test_the_second_answer_is_an_error():
    sent = [json_params_matcher({"top": True}, strict_match=False)]
    sent.append(header_matcher({"Authorization": f"Bearer {KEY}"}))
    responses.put(URL + PIN, json=OK, match=sent)
    responses.put(URL + PIN, status=502, match=sent)
    responses.put(URL + PIN, json=OK, match=sent)
    pin(URL, KEY)
    pin(URL, KEY)
    assert responses.assert_call_count(URL + PIN, 3)
