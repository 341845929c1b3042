import {
  commonValueOf,
  hasPresenceToken,
  mayHavePairToken,
  NAMED_BY_WORD,
  NOT_SEARCHED,
} from './search-term-fields.ts';
import { added, finished, type Seeds } from './term-hash.ts';

// The search terms of an event depend on the paths of its attributes, and most events have the same paths. What is
// known of a path is therefore kept in a tree, in which the names of members lead from one path to the next.

/** At most this number of paths is kept, and no name that is longer than this, because events may have any members. */
const KEPT = { paths: 5_000, nameLength: 100 } as const;

let keptPaths = 0;

/** The hash states of a path for one org. */
interface PathHashes {
  readonly seeds: Seeds;
  /** The state to which a value is added. */
  readonly pair: number;
  readonly presence: number;
}

/** The path of an attribute, or of an object with attributes. The path of the root is empty. */
export class TermPath {
  readonly path: string;
  readonly isSearched: boolean;
  readonly isNamedByWord: boolean;
  readonly hasPresence: boolean;
  readonly #mayHavePair: boolean;
  readonly #commonValue: string | undefined;
  readonly #members = new Map<string, TermPath>();
  #hashes: PathHashes | null = null;

  constructor(path: string) {
    this.path = path;
    this.isSearched = path !== NOT_SEARCHED;
    this.isNamedByWord = NAMED_BY_WORD.has(path);
    this.hasPresence = hasPresenceToken(path);
    this.#mayHavePair = mayHavePairToken(path);
    this.#commonValue = commonValueOf(path);
  }

  member(name: string): TermPath {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const made = new TermPath(this.path === '' ? name : `${this.path}.${name}`);
    if (keptPaths < KEPT.paths && name.length <= KEPT.nameLength) {
      keptPaths += 1;
      this.#members.set(name, made);
    }
    return made;
  }

  hasPair(value: string): boolean {
    return this.#mayHavePair && value !== this.#commonValue;
  }

  #hashesFor(seeds: Seeds): PathHashes {
    if (this.#hashes?.seeds === seeds) return this.#hashes;
    const pair = added(added(seeds.e, this.path), '=');
    this.#hashes = { seeds, pair, presence: finished(added(seeds.p, this.path)) };
    return this.#hashes;
  }

  pairToken(seeds: Seeds, value: string): number {
    return finished(added(this.#hashesFor(seeds).pair, value));
  }

  presenceToken(seeds: Seeds): number {
    return this.#hashesFor(seeds).presence;
  }
}

export const ROOT: TermPath = new TermPath('');
