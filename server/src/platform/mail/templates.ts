import { escapeHtml } from '../../kernel/html.ts';

export type MailKind = 'activation' | 'passwordReset' | 'unlock' | 'lockout';

export interface MailFacts {
  /** Name of the person, as an administrator or the person wrote it: never trusted. */
  readonly displayName: string;
  readonly orgName: string;
  /** Where the person goes on; carries the one-time token. */
  readonly url: string;
  /** How long the link works, once; null: it is an address like any other. */
  readonly validMinutes: number | null;
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Template {
  readonly subject: (org: string) => string;
  readonly lines: (org: string) => readonly string[];
  readonly button: string;
}

const TEMPLATES: Readonly<Record<MailKind, Template>> = {
  activation: {
    subject: (org) => `Activate your account at ${org}`,
    lines: (org) => [`An account was made for you at ${org}.`, 'Activate it and choose a password:'],
    button: 'Activate account',
  },
  passwordReset: {
    subject: (org) => `Reset your password at ${org}`,
    lines: (org) => [`A new password was asked for at ${org}.`, 'Choose one:'],
    button: 'Choose a password',
  },
  unlock: {
    subject: (org) => `Unlock your account at ${org}`,
    lines: (org) => [`Someone asked to unlock your account at ${org}.`, 'If it was you, unlock it:'],
    button: 'Unlock account',
  },
  lockout: {
    subject: (org) => `Your account at ${org} was locked`,
    lines: (org) => [
      `After too many wrong passwords your account at ${org} was locked.`,
      'If it was not you who tried, tell your administrator. Here you sign in again when it is unlocked:',
    ],
    button: 'Sign in',
  },
};

const LONGEST_NAME = 100;

/** One line of harmless length: names are written by people who may not be friends of the reader. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME);

/** A name that reads like an address of a site would be made a link by mail programs. */
const withoutLinks = (text: string): string => (/:\/\/|www\.|\.[a-z]{2,}\//i.test(text) ? '' : text);

const several = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** In the largest unit that says it exactly. */
function lifetimeText(minutes: number): string {
  if (minutes % 60 !== 0) return several(minutes, 'minute');
  const hours = minutes / 60;
  return hours > 48 && hours % 24 === 0 ? several(hours / 24, 'day') : several(hours, 'hour');
}

/** The words of a mail, as plain text and as small HTML. Texts are ours; what is filled in is one line and escaped. */
export function renderMail(kind: MailKind, facts: MailFacts): MailContent {
  const template = TEMPLATES[kind];
  const org = withoutLinks(oneLine(facts.orgName)) || 'your organization';
  const name = withoutLinks(oneLine(facts.displayName));
  const greeting = name === '' ? 'Hello,' : `Hello ${name},`;
  const lines = template.lines(org);
  const validity =
    facts.validMinutes === null ? '' : `The link works once and for ${lifetimeText(facts.validMinutes)}.`;
  const ending = 'If you did not expect this mail, ignore it.';
  const url = escapeHtml(facts.url);
  return {
    subject: template.subject(org),
    text: [greeting, '', ...lines, '', facts.url, '', ...(validity === '' ? [] : [validity]), ending, ''].join('\n'),
    html: [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
      '<body style="font-family:sans-serif;line-height:1.5;max-width:36em">',
      `<p>${escapeHtml(greeting)}</p>`,
      ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
      `<p><a href="${url}">${template.button}</a></p>`,
      `<p style="font-size:smaller">${url}</p>`,
      `<p>${[validity, ending].join(' ').trim()}</p>`,
      '</body></html>\n',
    ].join('\n'),
  };
}
