import { attributeSight, hiddenInTemplate, type Looker } from '../../../access/index.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import { isObject, type Stored, type StoredMembers } from '../modes/field-rules.ts';
import { type AppDocument, isClientDocument } from './document-contract.ts';
import { collectFaults } from './fault-rules.ts';

/** An expression that is evaluated for each user. Its key changes whenever its meaning changes. */
interface AppExpression {
  readonly field: string;
  readonly text: string;
  readonly key: string;
}

/** New apps get these expressions by default, so every caller may use them. */
const DEFAULTS: ReadonlySet<string> = new Set(['${source.login}', '${user.userName}']);

/** The member whose values are expressions even without `${...}`. */
const STATEMENTS = 'attributeStatements';

function expressionsIn(field: string, value: Stored | undefined, key: string): readonly AppExpression[] {
  const isStatement = field.includes(`.${STATEMENTS}`);
  if (typeof value === 'string') {
    return isStatement || value.includes('${') ? [{ field, text: value, key: `${key} ${value}` }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item: Stored) => expressionsIn(field, item, key));
  if (!isObject(value)) return [];
  if (!isStatement) return inMembers(field, value, key);
  // The members are sorted because the database does not keep their order.
  const told = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return expressionsIn(`${field}.values`, value['values'], `${key} ${JSON.stringify(told)}`);
}

const inMembers = (field: string, members: StoredMembers, key: string): readonly AppExpression[] =>
  Object.entries(members).flatMap(([name, item]) => expressionsIn(`${field}.${name}`, item, `${key}.${name}`));

function expressionsOf(document: AppDocument): readonly AppExpression[] {
  const { template } = document.credentials.userNameTemplate;
  const field = 'credentials.userNameTemplate.template';
  const naming = { field, text: template, key: `${field} ${template}` };
  if (isClientDocument(document)) return [naming];
  const { app, signOn } = document.settings;
  return [
    naming,
    ...expressionsIn('settings.app', app, 'settings.app'),
    ...expressionsIn('settings.signOn', signOn, 'settings.signOn'),
  ];
}

/** Refuses new expressions that read attributes hidden from the caller. */
export function assertExpressionsSeen(looker: Looker, document: AppDocument, before: AppDocument | null): void {
  const sight = attributeSight(looker);
  if (sight.reach === 'whole') return;
  const known = new Set(before === null ? [] : expressionsOf(before).map(({ key }) => key));
  const readers = expressionsOf(document)
    .filter(({ key, text }) => !known.has(key) && !DEFAULTS.has(text))
    .map(({ field, text }, index) => {
      const assertSeen = (): void => {
        const hidden = hiddenInTemplate(sight, text);
        if (hidden !== null) throw invalid(field, hidden);
      };
      return [`${field} ${index}`, assertSeen] as const;
    });
  collectFaults(Object.fromEntries(readers));
}
