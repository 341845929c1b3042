import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export interface RsaKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Makes an RSA key pair of 2,048 bits. */
export type MakeKeyPair = () => Promise<RsaKeyPair>;

const MODULUS_BITS = 2_048;
const generate = promisify(generateKeyPair);

/** Making a pair takes 0.1 s or more, so it runs on the thread pool and never on the event loop. */
export const makeKeyPair: MakeKeyPair = () => generate('rsa', { modulusLength: MODULUS_BITS });
