import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

HEALTH = HttpWaitStrategy(8000, "/__admin/health").for_status_code(200)


@pytest.fixture(scope="session")
def mock_url():
    image = DockerContainer("fastgpt-mock-server").with_exposed_ports(8000)
    with image.waiting_for(HEALTH) as mock:
        host, port = mock.get_container_host_ip(), mock.get_exposed_port(8000)
        yield f"http://{host}:{port}"
