# The service as an image: Debian's slim base, the Node binary alone (no npm), the package that `npm pack` makes.
# Nothing of it is written at run time: start it with a read-only root and one volume at /data (compose.yaml).
#
#   docker build --tag sellthrough .
#
# Base images are pinned by the digest of their list for all architectures; .github/dependabot.yml keeps them fresh.

# 24-bookworm-slim was 24.21.0.
FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /checkout
# The dependencies first: they change less often than the sources.
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
COPY sdk/package.json sdk/
COPY docs/package.json docs/
COPY scripts/prepare.mjs scripts/one-at-a-time.mjs scripts/
RUN node scripts/prepare.mjs
COPY . .
RUN npm pack \
 && mkdir /package /data \
 && tar --extract --gzip --strip-components=1 --directory=/package --file="$(ls sellthrough-*.tgz)" \
 && rm -r /package/scripts/node24

FROM debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /package /opt/sellthrough
RUN ln -s /opt/sellthrough/bin/sellthrough.mjs /usr/local/bin/sellthrough
# 10001: no user of the host has it.
COPY --from=build --chown=10001:10001 --chmod=0700 /data /data
USER 10001:10001
WORKDIR /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data/sellthrough
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/sellthrough/bin/sellthrough.mjs"]
CMD ["serve"]
