import type { MemberDocument } from './member-rules.ts';

/** The secret is stored sealed and never shown. */
interface SecretMember<Settings> {
  readonly name: 'token' | 'secret';
  readonly read: (value: string) => string;
  /** Returns the place that the secret is for. A body may omit the secret only if this place does not change. */
  readonly placeOf: (settings: Settings) => string;
}

export interface StreamTypeRow<Input, Settings> {
  readonly title: string;
  readonly read: (input: Input) => Settings;
  readonly secret: SecretMember<Settings> | null;
  /** Whether the operator's AWS credentials are used. */
  readonly hasOperatorCredentials: boolean;
  readonly logged: (settings: Settings) => Settings;
  /** The published schema. Members with `writeOnce` cannot be changed later. */
  readonly members: Readonly<Record<string, MemberDocument>>;
  readonly required: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}
