export { checkStoredServerKey } from './check-stored.ts';
export { listSigningKeys, publishedOrgKeys } from './list-signing-keys.ts';
export { rotateSigningKey } from './rotation/rotate-signing-key.ts';
export { signingKeyJobs } from './rotation/rotation-job.ts';
export { ORG_SERVER } from './rotation/rotation-rules.ts';
export { planDefaultServerKey, planServerRotation, signingOf } from './server-keys.ts';
export { signJws } from './sign-jws.ts';
export { signStatement } from './sign-statement.ts';
export { createSigningKeys, type SigningKeys } from './signing-keys.ts';
