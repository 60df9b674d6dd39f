import threading


def pytest_unconfigure():
    print("threads left:", threading.active_count() - 1)
