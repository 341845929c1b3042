import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** The number of keys in the pool. Tests take the keys in turn. */
const POOL_SIZE = 48;
const generate = promisify(generateKeyPair);

export async function makeKeyPool(): Promise<string[]> {
  const make = async () => {
    const { privateKey } = await generate('rsa', { modulusLength: 2_048 });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  };
  return Promise.all(Array.from({ length: POOL_SIZE }, make));
}
