import pytest


def test_violations(mock_server, pin):
    pin(extra=1)
    with pytest.raises(AssertionError, match=r"unknown_fields .spec 4.1.: Expected"):
        mock_server.assert_no_violations()


def test_times(mock_server, pin):
    pin()
    mock_server.assert_called("updateHistory", times=1)
    with pytest.raises(AssertionError, match="Expected exactly 2, got 1 calls"):
        mock_server.assert_called("updateHistory", times=2)
    with pytest.raises(AssertionError, match="exactly 0, got 1 calls"):
        mock_server.assert_called("updateHistory", times=0)


def test_waiting(mock_server, ids):
    with pytest.raises(AssertionError, match=r"listV2 was not called in 0.05 s"):
        mock_server.wait_for("listV2", timeout=0.05)
    ids()
    assert mock_server.wait_for("listV2")["operation"] == "listV2"


def test_mistakes_are_no_failed_assertions(mock_server):
    with pytest.raises(Exception, match="did you mean 'error'"):
        mock_server.fault("eror")
    with pytest.raises(Exception, match=r"at ..operation"):
        mock_server.assert_called("pin")
    with pytest.raises(Exception, match="Expected the name of a choice"):
        mock_server.choices["order"] = "name"
