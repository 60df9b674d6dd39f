from assistant import events

TOOL = {"name": "weather", "params": {"city": "Ulm"}, "response": "rain"}


def test_a_tool_is_shown(mock_server):
    mock_server.reply(parts=[{"node": "AI chat"}, {"tool": TOOL}, "It is raining."])
    names = [name for name, _ in events(mock_server, "Weather?")]
    assert names[:3] == ["flowNodeStatus", "toolCall", "toolParams"]
