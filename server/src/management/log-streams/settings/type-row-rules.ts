import type { MemberDocument } from './member-rules.ts';

/** A member of `settings` that contains a secret. The secret is stored sealed and never shown. */
interface SecretMember<Settings> {
  readonly name: 'token' | 'secret';
  /** Throws a 400 E0000001 error that names the member of `settings`. */
  readonly read: (value: string) => string;
  /** Returns the place that receives the secret. A body may omit the secret only if this place does not change. */
  readonly placeOf: (settings: Settings) => string;
}

/** Everything about a type of log stream except its delivery, which is in delivery/stream-deliveries.ts. */
export interface StreamTypeRow<Input, Settings> {
  readonly title: string;
  /** Reads the settings in a body. Throws a 400 E0000001 error that names the member of `settings`. */
  readonly read: (input: Input) => Settings;
  readonly secret: SecretMember<Settings> | null;
  /** Whether events are delivered with the operator's AWS credentials. Orgs have no AWS credentials. */
  readonly hasOperatorCredentials: boolean;
  /** Returns the settings as events of the System Log show them. */
  readonly logged: (settings: Settings) => Settings;
  /** The published schema of `settings`. Members with `writeOnce` cannot be changed later. */
  readonly members: Readonly<Record<string, MemberDocument>>;
  readonly required: readonly string[];
  /** The messages for members that do not match the schema. */
  readonly errors: Readonly<Record<string, string>>;
}
