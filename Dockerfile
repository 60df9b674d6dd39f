# Python 3.11 or later on glibc; a digest (NAME@sha256:...) makes builds repeatable.
ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
# Two builds make the same files: nothing in them depends on the time or on chance.
ENV PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PYTHONHASHSEED=0 SOURCE_DATE_EPOCH=315532800
RUN python3 -m venv /tools && python3 -m venv --without-pip /venv
COPY .ci/requirements.txt .ci/tools.txt .ci/strip /locks/
RUN /tools/bin/python -m pip install --require-hashes -r /locks/tools.txt
RUN /tools/bin/pip --python /venv/bin/python install --require-hashes -r /locks/requirements.txt \
    && python3 /locks/strip /venv/lib
COPY pyproject.toml README.md /src/
COPY mock_server /src/mock_server
COPY fixtures /src/fixtures
RUN /tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels /src \
    && /tools/bin/pip --python /venv/bin/python install --no-deps /wheels/*.whl \
    && /tools/bin/pip --python /venv/bin/python check \
    && /venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /venv/lib
RUN /tools/bin/cyclonedx-py environment --output-reproducible --no-validate \
    --output-file /venv/sbom.cdx.json /venv/bin/python

FROM ${PYTHON_IMAGE}
ARG PYTHON_IMAGE
# The build fails if this is not the version of the package.
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="fastgpt-mock-server" \
      org.opencontainers.image.description="A stateful mock server for FastGPT's chat pin and dataset collection list." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.base.name="${PYTHON_IMAGE}"
COPY --from=build /venv /venv
# The shipped fixtures by name, and a place for others.
COPY fixtures /fixtures
WORKDIR /fixtures
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MOCK_SERVER_HOST=0.0.0.0
# The base may lack compiled modules; whoever runs the image cannot write them.
RUN PYTHONHASHSEED=0 python -c "import mock_server.cli.serving, mock_server.cli.healthcheck; \
    from mock_server.api.operations.table import OPERATIONS; list(OPERATIONS.values())" \
    && test "$(mock-server --version)" = "mock-server, version ${VERSION}"
ENV PYTHONDONTWRITEBYTECODE=1
EXPOSE 8000
USER 65532:65532
# No start period: Docker 25 and later would ask only every 5 s during it.
HEALTHCHECK --interval=2s --timeout=2s --retries=15 CMD ["mock-server", "healthcheck"]
ENTRYPOINT ["mock-server"]
