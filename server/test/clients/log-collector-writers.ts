import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { CollectorHttp } from './log-collector-http.ts';
import { noPage, type Truth } from './log-collector-truth.ts';

function importedPassword() {
  const salt = randomBytes(8);
  const value = createHash('sha256').update(salt).update('Correct-1-Horse').digest('base64');
  return { hash: { algorithm: 'SHA-256', salt: salt.toString('base64'), saltOrder: 'PREFIX', value } };
}

/** With `hashes`, the server hashes the new users' passwords. Otherwise, the writer sends hashes, which is faster. */
export class UserWriter {
  readonly #http: CollectorHttp;
  readonly #hashes: boolean;
  readonly acknowledged: string[] = [];

  constructor(http: CollectorHttp, hashes: boolean) {
    this.#http = http;
    this.#hashes = hashes;
  }

  async run(state: { readonly writing: boolean }): Promise<void> {
    while (state.writing) {
      const login = `${randomUUID()}@example.com`;
      const body = {
        profile: { firstName: 'Ada', lastName: 'Lovelace', login, email: login },
        credentials: { password: this.#hashes ? { value: 'Correct-1-Horse' } : importedPassword() },
      };
      const response = await this.#http.send('POST', '/api/v1/users', body).catch(noPage);
      if (response?.status === 200) this.acknowledged.push((JSON.parse(response.text) as { id: string }).id);
      else if (response !== null && response.status !== 503) throw new Error(`${response.status} ${response.text}`);
      if (response?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Returns the ids of acknowledged users whose events are missing from the log, occur twice, or are out of order. */
export function unlogged(writers: readonly UserWriter[], truth: Truth): string[] {
  const events = new Map<string, string[]>();
  for (const { eventType, target } of truth.events.values()) {
    const id = target?.[0]?.id ?? '';
    events.set(id, [...(events.get(id) ?? []), eventType]);
  }
  const wanted = 'user.lifecycle.create,user.lifecycle.activate';
  return writers.flatMap(({ acknowledged }) =>
    acknowledged.filter((id) => (events.get(id) ?? []).filter((type) => wanted.includes(type)).join() !== wanted),
  );
}
