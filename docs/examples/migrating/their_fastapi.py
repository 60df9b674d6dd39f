import pytest
from fastapi import FastAPI, HTTPException
from fastapi.testclient import TestClient
from panel import APP, PIN

app = FastAPI()
chats = {}
failing = []


@app.put(PIN)
def update_history(body: dict):
    if failing:
        raise HTTPException(failing.pop())
    if body["chatId"] not in chats:
        raise HTTPException(404)
    chats[body["chatId"]]["top"] = body["top"]
    return {"code": 200, "statusText": "", "message": "", "data": None}


@pytest.fixture
def client():
    chats.clear()
    chats["c1"] = {"title": "Refund", "top": False}
    failing.clear()
    return TestClient(app)


def test_a_pin_is_kept(client):
    failing.append(503)
    body = {"appId": APP, "chatId": "c1", "top": True}
    assert client.put(PIN, json=body).status_code == 503
    assert client.put(PIN, json=body).status_code == 200
    assert chats["c1"]["top"]
