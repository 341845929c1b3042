import type { Modules } from './built.ts';

type Row = ReturnType<ReturnType<Modules['system-log/index']['createOutboxRowMaker']>>;

/** Values that are common, uncommon and rare in the generated log. */
export interface LogProbes {
  readonly busyActor: string;
  /** The actor of some 60 events. */
  readonly rareActor: string;
  readonly busyTarget: string;
  /** The target of about one event in a hundred. */
  readonly usualTarget: string;
  readonly rareTarget: string;
  readonly sample: Sample;
}

interface Sample {
  readonly uuid: string;
  readonly actor: { readonly alternateId: string };
  readonly client: { readonly ipAddress: string };
  readonly transaction: { readonly id: string };
  readonly authenticationContext: { readonly externalSessionId: string };
}

interface Counted {
  readonly id: string;
  readonly events: number;
}

const rarest = (counted: readonly Counted[]): string =>
  (counted.find(({ events }) => events <= 60) ?? counted.at(-1))?.id ?? '';

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

const mostFirst = (counts: ReadonlyMap<string, number>): readonly Counted[] =>
  Array.from(counts, ([id, events]) => ({ id, events })).toSorted((one, other) => other.events - one.events);

/** Looks for probes among the rows of a log while they are made. */
export class ProbeFinder {
  readonly #events: number;
  readonly #actors = new Map<string, number>();
  readonly #targets = new Map<string, number>();
  #sample: string | null = null;

  constructor(events: number) {
    this.#events = events;
  }

  add({ actorId, body, eventType, targetIds }: Row, position: number): void {
    count(this.#actors, actorId);
    for (const id of targetIds) count(this.#targets, id);
    const isWanted = this.#sample === null && eventType === 'user.session.refresh' && position * 2 > this.#events;
    if (isWanted) this.#sample = body.toString('utf8');
  }

  probes(): LogProbes {
    const [actors, targets] = [mostFirst(this.#actors), mostFirst(this.#targets)];
    return {
      busyActor: actors[0]?.id ?? '',
      rareActor: rarest(actors),
      busyTarget: targets[0]?.id ?? '',
      usualTarget: (targets.find((target) => target.events * 100 <= this.#events) ?? targets[0])?.id ?? '',
      rareTarget: rarest(targets),
      sample: JSON.parse(this.#sample ?? '{}') as Sample,
    };
  }
}
