import { SETTINGS, type Setting } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface FormerNameInUse {
  readonly formerName: string;
  readonly name: string;
  /** The release that first refuses the former name. */
  readonly until: string;
}

export const textOf = (environment: Environment, name: string): string | null => environment[name] || null;

/** Returns the variables to rename, including empty variables. */
export function formerNamesIn(environment: Environment): FormerNameInUse[] {
  return Object.values<Setting<unknown>>(SETTINGS).flatMap(({ formerly, name }) =>
    formerly === undefined || environment[formerly.name] === undefined
      ? []
      : [{ formerName: formerly.name, name, until: formerly.until }],
  );
}

export const formerNameText = ({ formerName, name, until }: FormerNameInUse): string =>
  `${formerName} is now ${name}: rename the variable before release ${until}, which refuses the old name`;

/** Reports settings whose two names have different values. The values are not shown, because they may be secrets. */
export function formerNameConflicts(environment: Environment): string[] {
  return formerNamesIn(environment).flatMap(({ formerName, name }) => {
    const [formerText, text] = [textOf(environment, formerName), textOf(environment, name)];
    if (formerText === null || text === null || formerText === text) return [];
    return [`${name} and its former name ${formerName} are set to different values: remove ${formerName}`];
  });
}
