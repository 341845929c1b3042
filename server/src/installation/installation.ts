import { OperatorError } from '../kernel/errors/operator-error.ts';
import {
  loadMasterKey,
  type MasterKey,
  type MasterKeySource,
  matchesCheckValue,
  withPrevious,
} from '../platform/crypto/index.ts';
import { ENTITY_TAG_ALGORITHMS } from '../platform/http/tags/entity-tag.ts';
import { type Db, findInstallationFact, noteInstallationFact } from '../platform/postgres/index.ts';
import type { Config } from '../settings/config.ts';

/** This error ends a start or a command that cannot continue. The message tells the operator the reason. */
export class InstallationError extends OperatorError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InstallationError';
  }
}

/** Loads the master key, which by default is in the data folder, and the previous key if one is set. */
export async function openMasterKey(config: Config): Promise<MasterKey> {
  const source: MasterKeySource = config.masterKey ?? { kind: 'dataDirectory', dataDirectory: config.dataDirectory };
  const masterKey = await loadMasterKey(source);
  if (config.masterKeyPrevious === null) return masterKey;
  const previous = await loadMasterKey(config.masterKeyPrevious, 'GATEHOUSE_MASTER_KEY_PREVIOUS');
  if (previous.id !== masterKey.id) return withPrevious(masterKey, previous);
  throw new InstallationError(
    'GATEHOUSE_MASTER_KEY_PREVIOUS names the master key itself. Set GATEHOUSE_MASTER_KEY to a new key ' +
      '(openssl rand -base64 32), or remove GATEHOUSE_MASTER_KEY_PREVIOUS.',
  );
}

const fitsInstallation = (masterKey: MasterKey, checkValue: string): boolean =>
  matchesCheckValue(masterKey, checkValue) ||
  (masterKey.previous !== null && matchesCheckValue(masterKey.previous, checkValue));

/**
 * Compares the namespace word and the master key with the recorded ones, or records them if none are recorded. The
 * recorded key may also be the previous master key.
 */
export async function checkInstallation(db: Db, config: Config, masterKey: MasterKey): Promise<void> {
  const word = await noteInstallationFact(db, 'namespace', config.namespace);
  if (word !== config.namespace) {
    throw new InstallationError(
      `This installation's namespace word is "${word}", chosen at its first start, but GATEHOUSE_NAMESPACE is ` +
        `"${config.namespace}". Set GATEHOUSE_NAMESPACE=${word}.`,
    );
  }
  const checkValue = await noteInstallationFact(db, 'master_key_check', masterKey.checkValue);
  if (!fitsInstallation(masterKey, checkValue)) {
    const own = config.masterKey === null ? `${config.dataDirectory}/master.key` : 'what GATEHOUSE_MASTER_KEY names';
    const place = masterKey.previous === null ? own : `${own}, or GATEHOUSE_MASTER_KEY_PREVIOUS`;
    throw new InstallationError(
      `The master key (${place}) is not the one this database was made with. Restore that key; nothing that is ` +
        'sealed can be opened without it.',
    );
  }
}

/** The entity tag algorithm that this release uses. A new algorithm is accepted for one release before it is used. */
const EMITTED_ENTITY_TAG = 'v1';

/**
 * Returns the times when known entity tag algorithms were first used. Records this release's algorithm if it is new.
 */
export async function readEntityTagHistory(db: Db, now: Date): Promise<Readonly<Record<string, Date>>> {
  await noteInstallationFact(db, `entity_tag_${EMITTED_ENTITY_TAG}`, now.toISOString());
  const facts = await Promise.all(
    ENTITY_TAG_ALGORITHMS.map(async (name) => [name, await findInstallationFact(db, `entity_tag_${name}`)] as const),
  );
  return Object.fromEntries(facts.flatMap(([name, since]) => (since === null ? [] : [[name, new Date(since)]])));
}
