import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** The number of keys in the pool. No test needs more keys for one org or app, so no test gets the same key twice. */
const POOL_SIZE = 48;
const generate = promisify(generateKeyPair);

/** Makes the RSA keys for a run as PKCS #8. Making a key takes a tenth of a second, and every org needs one. */
export async function makeKeyPool(): Promise<string[]> {
  const make = async () => {
    const { privateKey } = await generate('rsa', { modulusLength: 2_048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  };
  return Promise.all(Array.from({ length: POOL_SIZE }, make));
}
