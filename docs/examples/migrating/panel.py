import httpx2 as http  # or httpx, or requests

APP, DATASET = "65d8a1f0c3b2a94e7f106a01", "6593e137231a2be9c5603ba7"
PIN = "/api/core/chat/history/updateHistory"
LIST = "/api/core/dataset/collection/listV2"
CREATE = "/api/core/dataset/collection/create"


def call(method, url, key, body):
    headers = {"Authorization": f"Bearer {key}"}
    for _attempt in range(2):
        answer = http.request(method, url, json=body, headers=headers)
        if answer.status_code < 500:
            break
    answer.raise_for_status()
    return answer.json()["data"]


def pin(url, key, chat="delivery-late"):
    return call("PUT", url + PIN, key, {"appId": APP, "chatId": chat, "top": True})


def names(url, key):
    body = {"offset": 0, "datasetId": DATASET, "parentId": None}
    return [item["name"] for item in call("POST", url + LIST, key, body)["list"]]


def make_folder(url, key, name):
    body = {"datasetId": DATASET, "name": name, "type": "folder"}
    return call("POST", url + CREATE, key, body)
