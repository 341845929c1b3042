import type { LastUse } from '../store.ts';

/** The shortest interval between two writes of a token's last use. */
export const LAST_USED_INTERVAL_MILLISECONDS = 10 * 60 * 1_000;

export interface LastUsedWriter {
  /** `storedAt` is the last use that the caller has read from the database. */
  note(orgId: string, tokenId: string, storedAt: Date, usedAt: Date): void;
  waiting(orgId: string, tokenId: string): Date | null;
  /** Writes one org at a time. Rejects if a write fails; the uses that were not written are kept for the next call. */
  flush(): Promise<void>;
}

/** Collects the last uses of tokens, so that requests need not write them. */
export function createLastUsedWriter(
  store: (orgId: string, uses: readonly LastUse[]) => Promise<void>,
): LastUsedWriter {
  const waiting = new Map<string, Map<string, Date>>();

  const usesOf = (orgId: string): Map<string, Date> => {
    const uses = waiting.get(orgId) ?? new Map<string, Date>();
    waiting.set(orgId, uses);
    return uses;
  };

  async function flushOrg(orgId: string, uses: ReadonlyMap<string, Date>): Promise<void> {
    waiting.delete(orgId);
    try {
      await store(
        orgId,
        [...uses].map(([tokenId, usedAt]) => ({ tokenId, usedAt })),
      );
    } catch (error) {
      const later = usesOf(orgId);
      for (const [tokenId, usedAt] of uses) if (!later.has(tokenId)) later.set(tokenId, usedAt);
      throw error;
    }
  }

  return {
    note(orgId, tokenId, storedAt, usedAt) {
      if (usedAt.getTime() - storedAt.getTime() < LAST_USED_INTERVAL_MILLISECONDS) return;
      const uses = usesOf(orgId);
      // A waiting use need not be replaced, because the stored time may lag behind the last use by the interval.
      if (!uses.has(tokenId)) uses.set(tokenId, usedAt);
    },
    waiting: (orgId, tokenId) => waiting.get(orgId)?.get(tokenId) ?? null,
    async flush() {
      const due = new Map(waiting);
      for (const [orgId, uses] of due) await flushOrg(orgId, uses);
    },
  };
}
