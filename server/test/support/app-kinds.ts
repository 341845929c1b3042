import { type StoredMembers, sampleOf } from '../../src/management/apps/modes/field-rules.ts';
import { APP_KINDS, type AppKind, nameOfKind } from '../../src/management/apps/modes/kind-rules.ts';
import { webSettings } from './apps.ts';
import type { TestResponse } from './client.ts';

type Given = Readonly<Record<string, unknown>>;

export const titleOf = (kind: AppKind): string => [kind.mode, nameOfKind(kind) ?? kind.naming.from].join(' ');

export const NAMED_KINDS = APP_KINDS.map((kind) => [titleOf(kind), kind] as const);

export const OTHER_KINDS = NAMED_KINDS.filter(([, { mode }]) => mode !== 'OPENID_CONNECT');

export function kindNamed(title: string): AppKind {
  const found = APP_KINDS.find((kind) => titleOf(kind) === title);
  if (found === undefined) throw new Error(`there is no kind ${title}`);
  return found;
}

/** Builds a valid body of an app of this kind, with the changes in `given` and `settings`. */
export function newAppOf(kind: AppKind, given: Given = {}, settings: Given = {}): Given {
  const app: StoredMembers = kind.app === null ? {} : sampleOf(kind.app, 'required');
  const signOn = kind.signOn === null ? undefined : sampleOf(kind.signOn, 'required');
  const own = kind.mode === 'OPENID_CONNECT' ? { oauthClient: webSettings() } : { app, ...(signOn ? { signOn } : {}) };
  const name = nameOfKind(kind) ?? (kind.naming.from === 'catalog' ? 'sharepoint_onpremise' : undefined);
  return {
    ...(name === undefined ? {} : { name }),
    label: titleOf(kind),
    signOnMode: kind.mode,
    settings: { ...own, ...settings },
    ...given,
  };
}

export const fieldsOf = ({ body }: TestResponse): string[] =>
  (body.errorCauses as { errorSummary: string }[]).map(({ errorSummary }) => errorSummary.split(': ')[0] ?? '');

export const newSamlApp = (signOn: Given = {}, given: Given = {}): Given => ({
  label: 'SAML',
  signOnMode: 'SAML_2_0',
  settings: { signOn: { ssoAcsUrl: 'https://sp.example/acs', audience: 'urn:sp', ...signOn } },
  ...given,
});
