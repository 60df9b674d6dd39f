"""The ids in the examples of requests: objects of the shipped demo fixture."""

DEMO_APP = "65d8a1f0c3b2a94e7f106a01"
DEMO_CHAT = {"appId": DEMO_APP, "chatId": "refund-4711"}
DEMO_REPLY = "refund-4711-answer"
DEMO_DATASET = "6593e137231a2be9c5603ba7"
DEMO_API_DATASET = "6593e137231a2be9c5603bc1"
DEMO_COLLECTION = "6593e137231a2be9c5603ba9"
DEMO_ROW = "3ced00f6ea5c20f80b3baaa5"
