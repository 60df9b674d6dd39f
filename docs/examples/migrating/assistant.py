import json

import httpx2 as http  # or httpx, or requests

APP = "65d8a1f0c3b2a94e7f106a01"
LIST = "/api/core/dataset/collection/listV2"
LOGIN = "/api/support/user/account/loginByPassword"
SEARCH = "/api/core/dataset/searchTest"
TALK = "/api/v1/chat/completions"


def post(server, path, timeout=5, **body):
    headers = {"Authorization": f"Bearer {server.key}"}
    return http.post(server.url + path, json=body, headers=headers, timeout=timeout)


def ask(server, question, **more):
    messages = [{"role": "user", "content": question}]
    return post(server, TALK, appId=APP, chatId="c1", messages=messages, **more)


def said(server, question):
    return ask(server, question).json()["choices"][0]["message"]["content"]


def events(server, question):
    """The names and data of a stream's events."""
    text = ask(server, question, stream=True, detail=True).text
    for event in text.split("\n\n")[:-1]:
        name, _, data = event.removeprefix("event: ").partition("\ndata: ")
        yield name, data if data == "[DONE]" else json.loads(data)
