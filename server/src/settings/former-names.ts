import { SETTINGS, type Setting } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that the environment sets under the former name of its setting. */
export interface FormerNameInUse {
  readonly formerName: string;
  readonly name: string;
  /** The release that refuses the former name. */
  readonly until: string;
}

/** An empty variable counts as absent, because this is how compose files and shells leave one out. */
export const textOf = (environment: Environment, name: string): string | null => environment[name] || null;

/**
 * The variables to rename. Empty ones are included, because the release that drops the former name refuses them too.
 */
export function formerNamesIn(environment: Environment): FormerNameInUse[] {
  return Object.values<Setting<unknown>>(SETTINGS).flatMap(({ formerly, name }) =>
    formerly === undefined || environment[formerly.name] === undefined
      ? []
      : [{ formerName: formerly.name, name, until: formerly.until }],
  );
}

/** The sentence for the log and `gatehouse doctor`. */
export const formerNameText = ({ formerName, name, until }: FormerNameInUse): string =>
  `${formerName} is now ${name}: rename the variable before release ${until}, which refuses the old name`;

/**
 * Reports the settings whose present and former names have different values. Neither value is repeated, because it may
 * be a secret.
 */
export function formerNameConflicts(environment: Environment): string[] {
  return formerNamesIn(environment).flatMap(({ formerName, name }) => {
    const [formerText, text] = [textOf(environment, formerName), textOf(environment, name)];
    if (formerText === null || text === null || formerText === text) return [];
    return [`${name} and its former name ${formerName} are set to different values: remove ${formerName}`];
  });
}
