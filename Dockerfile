# Builds an image that holds Node, the C libraries it is linked with, and Sanderling: no shell, no package manager, no development
# dependencies. It runs as user 10001 on a read-only root and writes to /data alone.
#
#   docker build --tag sanderling .
#   docker run --read-only --volume sanderling:/data --publish 127.0.0.1:8080:8080 sanderling
#
# NODE_IMAGE may be any image with Node 24 or newer, npm and glibc.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim

# One bundle in place of two thousand modules: the server listens sooner. Its tools stay behind.
FROM ${NODE_IMAGE} AS bundle
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY bin bin
COPY scripts/build.mjs scripts/named-at-run-time.ts scripts/
COPY src src
RUN node scripts/build.mjs

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && \
    find node_modules -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' \) -delete
COPY LICENSE ./
COPY bin bin
COPY docs docs
COPY models models
COPY --from=bundle /app/dist dist
COPY deploy/container /tmp/container
RUN sh /tmp/container/assemble-root.sh /image
# Compiles the modules at the path and under the user that will run them; the build fails if the server does not start.
RUN install -d -o 10001 -g 10001 /var/cache/node
USER 10001:10001
RUN NODE_COMPILE_CACHE=/var/cache/node node /tmp/container/warm-up.mjs /app

FROM scratch
COPY --from=build /image /
COPY --from=build /var/cache/node /var/cache/node
COPY --from=build /app /app
USER 10001:10001
WORKDIR /data
# SQLite's temporary files need a writable folder, and /data is the only one.
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    NODE_OPTIONS=--max-old-space-size=1536 \
    NODE_COMPILE_CACHE=/var/cache/node \
    SQLITE_TMPDIR=/data \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["sanderling"]
CMD ["serve"]
