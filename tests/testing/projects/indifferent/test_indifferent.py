def test_it(pin):
    assert pin().status_code == 200
