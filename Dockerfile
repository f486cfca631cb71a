# Trackdown with the web page, the HTTP API and the MCP server.
#
#   docker build -t trackdown .
#   docker run --rm -v "$PWD:/repo:ro" -v trackdown:/store trackdown search "where is the session cookie signed?"
#
# docs/install.md has the rest: other users, serving, images without the extras.
ARG PYTHON=python:3.12-slim-bookworm

FROM ${PYTHON} AS build
ARG EXTRAS=serve,mcp
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/trackdown \
    && /opt/trackdown/bin/pip install --no-cache-dir --disable-pip-version-check ".[${EXTRAS}]" \
    && /opt/trackdown/bin/pip uninstall --yes --quiet pip

FROM ${PYTHON}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home trackdown \
    && mkdir --mode 1777 /store \
    && git config --system --add safe.directory '*'
COPY --from=build /opt/trackdown /opt/trackdown
ENV PATH=/opt/trackdown/bin:$PATH \
    TRACKDOWN_STORE=/store
USER trackdown
WORKDIR /repo
VOLUME /store
ENTRYPOINT ["trackdown"]
CMD ["--help"]
