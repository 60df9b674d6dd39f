ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
RUN python3 -m venv /tools && python3 -m venv --without-pip /venv
COPY pyproject.toml README.md /src/
COPY mock_server /src/mock_server
COPY fixtures /src/fixtures
RUN /tools/bin/pip --python /venv/bin/python install --no-cache-dir /src

FROM ${PYTHON_IMAGE}
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.title="fastgpt-mock-server" \
      org.opencontainers.image.description="A stateful mock server for FastGPT's chat pin and dataset collection list." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /venv /venv
# The shipped fixtures by name, and a place for others.
COPY fixtures /fixtures
WORKDIR /fixtures
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MOCK_SERVER_HOST=0.0.0.0
# The base may lack compiled modules; whoever runs the image cannot write them.
RUN python -c "import mock_server.cli.serve, mock_server.cli.healthcheck"
ENV PYTHONDONTWRITEBYTECODE=1
EXPOSE 8000
USER 65532:65532
HEALTHCHECK --interval=1s --timeout=2s --start-period=10s CMD ["mock-server", "healthcheck"]
ENTRYPOINT ["mock-server"]
