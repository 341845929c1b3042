import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** More than any test has of one org or app, so that no test meets the same key twice. */
const POOL_SIZE = 48;
const generate = promisify(generateKeyPair);

/** RSA keys as PKCS #8, made once per run: each takes a tenth of a second, and every org has one. */
export async function makeKeyPool(): Promise<string[]> {
  const make = async () => {
    const { privateKey } = await generate('rsa', { modulusLength: 2_048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  };
  return Promise.all(Array.from({ length: POOL_SIZE }, make));
}
