def test_it(pin):
    pin()
