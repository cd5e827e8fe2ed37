# The LTS of Node.js that CI tests. The digest is that of the index of all platforms, and the same image for every build.
FROM node:24.21.0-alpine3.24@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1 AS node

# Compiles the program.
FROM node AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json vite.config.ts vendor.js ./
COPY src src
RUN npm run build

# What it needs at run time, and nothing else.
FROM node AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM node
# Other machines may reach it: it does not start before clients have to log in, or ENTITYGATE_ALLOW_UNAUTHENTICATED=true is given to it. It is not
# given here, because it would hold for a configuration that is mounted over the sample, too.
ENV NODE_ENV=production ENTITYGATE_HOST=0.0.0.0
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# The sample: config.yaml, its mapping and report files and the script that fills the embedded database.
COPY config.yaml sample.sql.gz ./
COPY mappings mappings
COPY reports reports
RUN mkdir .data && chown node:node .data
USER node
EXPOSE 8080
# By HTTP, or by TLS where that is what is served; the certificate is for other names than that of this machine itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "const ask = (scheme) => new Promise((done, failed) => require(`node:${scheme}`).get({ host: '127.0.0.1', port: process.env.ENTITYGATE_PORT || 8080, path: '/health/ready', rejectUnauthorized: false }, done).on('error', failed)); ask('http').catch(() => ask('https')).then(({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
