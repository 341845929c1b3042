import { escapeHtml } from '../../kernel/texts/html.ts';
import { languageOf, type MailLook, type Translate, translatorOf } from '../pages/index.ts';

export type MailKind =
  | 'activation'
  | 'passwordReset'
  | 'unlock'
  | 'lockout'
  | 'signInRequest'
  | 'addressProof'
  | 'addressNotice'
  | 'deactivation'
  | 'appRemoved'
  | 'factorEnrolled'
  | 'factorsRemoved'
  | 'signInCode';

export interface MailFacts {
  /** The name of the recipient. It is untrusted. */
  readonly displayName: string;
  readonly orgName: string;
  readonly url: string;
  /** The code of a sign-in, if the email contains one. */
  readonly code?: string | null;
  /** The lifetime of the one-time link. With null, the email states no lifetime. */
  readonly validMinutes: number | null;
  /** The login or id of the user whom the email concerns, if that user is not its reader. It is untrusted. */
  readonly about?: string | null;
  readonly locale?: string | null;
  readonly look?: MailLook | null;
}

export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const LONGEST_NAME = 100;

/** Turns text into one line of limited length, because its author may want to mislead the reader of the email. */
export const oneLine = (text: string, longest = LONGEST_NAME): string =>
  text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, longest);

/** Returns the text, or '' if it seems to contain a link, which email programs would make clickable. */
export const withoutLinks = (text: string): string => (/:\/\/|www\.|\.[a-z]{2,}\//i.test(text) ? '' : text);

function validityText(minutes: number, t: Translate): string {
  if (minutes % 60 !== 0) return t('mail.valid.minutes', { count: minutes });
  const hours = minutes / 60;
  if (hours > 48 && hours % 24 === 0) return t('mail.valid.days', { count: hours / 24 });
  return t('mail.valid.hours', { count: hours });
}

/** Many email programs apply only the styles in `style` attributes. */
const buttonStyle = ({ colour, text }: MailLook): string =>
  `display:inline-block;padding:.7em 1.4em;border-radius:.5em;font-weight:600;text-decoration:none;` +
  `background:${colour};color:${text}`;

const logoOf = (look: MailLook | null, org: string): string[] =>
  look === null || look.logo === null
    ? []
    : [`<p><img src="${escapeHtml(look.logo)}" alt="${escapeHtml(org)}" style="max-height:48px;max-width:240px"></p>`];

export function renderMail(kind: MailKind, facts: MailFacts): MailContent {
  const language = languageOf({ userLocale: facts.locale ?? null });
  const t = translatorOf(language);
  const org = withoutLinks(oneLine(facts.orgName)) || t('mail.yourOrg');
  const name = withoutLinks(oneLine(facts.displayName));
  const greeting = name === '' ? t('mail.hello') : t('mail.helloName', { name });
  const who = withoutLinks(oneLine(facts.about ?? ''));
  const { code = null, validMinutes } = facts;
  const proof = { code: code ?? '', minutes: validMinutes ?? 0 };
  const lines = [t(`mail.${kind}.lead`, { org, who, ...proof }), t(`mail.${kind}.ask`)];
  // An email with a code says itself how long the code is valid.
  const validity = validMinutes === null || code !== null ? '' : validityText(validMinutes, t);
  const ending = t('mail.ending');
  const url = escapeHtml(facts.url);
  const look = facts.look ?? null;
  const style = look === null ? '' : ` style="${buttonStyle(look)}"`;
  return {
    subject: t(`mail.${kind}.subject`, { org }),
    text: [greeting, '', ...lines, '', facts.url, '', ...(validity === '' ? [] : [validity]), ending, ''].join('\n'),
    html: [
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head>`,
      '<body style="font-family:sans-serif;line-height:1.5;max-width:36em">',
      ...logoOf(look, org),
      `<p>${escapeHtml(greeting)}</p>`,
      ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
      `<p><a href="${url}"${style}>${escapeHtml(t(`mail.${kind}.button`))}</a></p>`,
      `<p style="font-size:smaller">${url}</p>`,
      `<p>${escapeHtml([validity, ending].join(' ').trim())}</p>`,
      '</body></html>\n',
    ].join('\n'),
  };
}
