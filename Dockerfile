# Python 3.11 or later.
ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
COPY pyproject.toml README.md /src/
COPY mock_server /src/mock_server
COPY fixtures /src/fixtures
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir "/src[fast]" \
    && /venv/bin/pip uninstall --yes pip

FROM ${PYTHON_IMAGE}
COPY --from=build /venv /venv
# Other fixtures can be mounted here and named without a path.
WORKDIR /fixtures
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MOCK_SERVER_HOST=0.0.0.0
EXPOSE 8000
USER 65532:65532
HEALTHCHECK --interval=2s --timeout=3s --retries=15 \
    CMD ["mock-server", "wait", "--timeout", "1", "--process", "1"]
ENTRYPOINT ["mock-server"]
