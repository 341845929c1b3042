import { type Scheme, takesPassword } from '../profiles/credential-rules.ts';

export interface LinkedApp extends Scheme {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly isHidden: boolean;
  readonly hasPassword: boolean;
  readonly logoUrl: string;
  readonly links: readonly { readonly name: string; readonly href: string }[];
}

export interface AppLink {
  readonly app: LinkedApp;
  readonly label: string;
  readonly href: string;
  readonly hasCredentials: boolean;
  readonly sortOrder: number;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

export function appLinks(apps: readonly LinkedApp[]): AppLink[] {
  const sorted = apps.toSorted((one, other) => compare(one.label, other.label) || compare(one.id, other.id));
  const links = sorted.flatMap((app) =>
    app.links.map(({ href, name }) => ({
      app,
      href,
      label: app.links.length === 1 ? app.label : `${app.label} ${name}`,
      hasCredentials: takesPassword(app) && app.hasPassword,
    })),
  );
  return links.map((link, sortOrder) => ({ ...link, sortOrder }));
}
