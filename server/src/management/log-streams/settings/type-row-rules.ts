import type { MemberDocument } from './member-rules.ts';

/** The secret is stored sealed and never shown. */
interface SecretMember<Settings> {
  readonly name: 'token' | 'secret';
  /** Throws 400 E0000001 for an invalid value. The error names the member of `settings`. */
  readonly read: (value: string) => string;
  /** A body may omit the secret only if the place that receives it does not change. */
  readonly placeOf: (settings: Settings) => string;
}

/** The delivery of each type is in delivery/stream-deliveries.ts. */
export interface StreamTypeRow<Input, Settings> {
  readonly title: string;
  /** Throws 400 E0000001 for an invalid member of `settings`, which the error names. */
  readonly read: (input: Input) => Settings;
  readonly secret: SecretMember<Settings> | null;
  /** Whether the operator's AWS credentials are used. Orgs have no AWS credentials. */
  readonly hasOperatorCredentials: boolean;
  readonly logged: (settings: Settings) => Settings;
  /** The published schema. Members with `writeOnce` cannot be changed later. */
  readonly members: Readonly<Record<string, MemberDocument>>;
  readonly required: readonly string[];
  /** The messages for members that do not match the schema. */
  readonly errors: Readonly<Record<string, string>>;
}
