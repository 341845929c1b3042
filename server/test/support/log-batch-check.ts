import { readFile } from 'node:fs/promises';

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Verdict = 'take' | 'forged' | 'old' | 'seen';
type Check = (headers: Headers, text: string) => Verdict;

interface Receiver {
  readonly check: (secret: string, seen: ReadonlySet<string>, now: () => number) => Check;
}

const README = new URL('../../src/management/log-streams/README.md', import.meta.url);

/** Loads the receiver for streams of the type https_ndjson from the README, and runs it exactly as printed. */
async function shownReceiver(): Promise<Receiver> {
  const [, code] = /```js\n(.*?)```/s.exec(await readFile(README, 'utf8')) ?? [];
  if (code === undefined) throw new Error('the README shows no receiver');
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as Receiver;
}

const { check } = await shownReceiver();

/** Returns a check that accepts each batch once. It expects header names in lower case, and the decompressed body. */
export function createBatchCheck(secret: string, now: () => Date): Check {
  const seen = new Set<string>();
  const judge = check(secret, seen, () => now().getTime());
  return (headers, text) => {
    const verdict = judge(headers, text);
    if (verdict === 'take') seen.add(String(headers['x-svc-log-batch']));
    return verdict;
  };
}
