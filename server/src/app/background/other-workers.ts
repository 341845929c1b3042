import type { OrgId } from '../../kernel/words/ids.ts';
import type { CacheName } from '../../system-log/index.ts';

/**
 * The channel to the other workers of this machine. Without it, they would see a change only when their caches expire.
 */
export interface OtherWorkers {
  readonly tell: (news: unknown) => void;
  readonly onNews: (heard: (news: unknown) => void) => void;
}

type Drop = (orgId: OrgId, caches: Iterable<CacheName>) => void;

interface Voided {
  readonly orgId: OrgId;
  readonly caches: readonly CacheName[];
}

const isNews = (news: unknown): news is readonly Voided[] => Array.isArray(news);

/**
 * Returns a function that drops entries here and in the other workers. It sends all changes in one turn of the event
 * loop as one message, because an import changes many users.
 */
export function dropEverywhere(drop: Drop, others: OtherWorkers | undefined): Drop {
  if (others === undefined) return drop;
  others.onNews((news) => {
    if (isNews(news)) for (const { caches, orgId } of news) drop(orgId, caches);
  });
  const untold = new Map<OrgId, Set<CacheName>>();
  const tell = (): void => {
    others.tell([...untold].map(([orgId, caches]) => ({ orgId, caches: [...caches] }) satisfies Voided));
    untold.clear();
  };
  return (orgId, caches) => {
    drop(orgId, caches);
    const names = untold.get(orgId) ?? new Set<CacheName>();
    for (const name of caches) names.add(name);
    if (names.size === 0) return;
    if (untold.size === 0) setImmediate(tell);
    untold.set(orgId, names);
  };
}
