ARG PYTHON_IMAGE=python:3.13-slim
FROM ${PYTHON_IMAGE}

COPY pyproject.toml README.md /src/
COPY mock_server /src/mock_server
COPY fixtures /src/fixtures
RUN python3 -m venv /venv \
    && /venv/bin/pip install --no-cache-dir /src \
    && rm -rf /src

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MOCK_SERVER_HOST=0.0.0.0
EXPOSE 8000
USER 65532:65532
HEALTHCHECK --interval=1s --timeout=2s --start-period=10s CMD ["mock-server", "healthcheck"]
ENTRYPOINT ["mock-server"]
