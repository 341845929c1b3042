interface Batch<Key, Answer> {
  readonly keys: Set<Key>;
  readonly answer: Promise<Answer>;
}

/**
 * Asks one question at a time, for all callers that wait. A caller never gets the answer to a question that was sent
 * before its call.
 */
export function inBatches<Key, Answer>(ask: (keys: readonly Key[]) => Promise<Answer>): (key: Key) => Promise<Answer> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Batch<Key, Answer> | null = null;
  const begin = (): Batch<Key, Answer> => {
    const keys = new Set<Key>();
    const answer = underWay.then(() => {
      next = null;
      return ask([...keys]);
    });
    underWay = answer.catch(() => undefined);
    return { keys, answer };
  };
  return (key) => {
    next ??= begin();
    next.keys.add(key);
    return next.answer;
  };
}
