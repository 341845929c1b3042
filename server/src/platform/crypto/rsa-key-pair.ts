import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export interface RsaKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type MakeKeyPair = () => Promise<RsaKeyPair>;

const MODULUS_BITS = 2_048;
const generate = promisify(generateKeyPair);

/** Making a pair is slow, so it runs on the thread pool instead of the event loop. */
export const makeKeyPair: MakeKeyPair = () => generate('rsa', { modulusLength: MODULUS_BITS });
