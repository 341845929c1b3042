import type { MemberDocument } from './member-rules.ts';

/** The member of `settings` that holds a secret, which is sealed and never shown. */
interface SecretMember<Settings> {
  readonly name: 'token' | 'secret';
  /** 400 E0000001 naming the member of `settings`. */
  readonly read: (value: string) => string;
  /** The place that receives the secret. A body may leave the secret out only while the place stays the same. */
  readonly placeOf: (settings: Settings) => string;
}

/** Everything about a type of log stream but its delivery, which is in delivery/stream-deliveries.ts. */
export interface StreamTypeRow<Input, Settings> {
  readonly title: string;
  /** Reads the settings in a body. 400 E0000001 naming the member of `settings`. */
  readonly read: (input: Input) => Settings;
  readonly secret: SecretMember<Settings> | null;
  /** Whether the operator's AWS credentials deliver the events, because orgs have none of their own. */
  readonly hasOperatorCredentials: boolean;
  /** The settings as events of the System Log show them. */
  readonly logged: (settings: Settings) => Settings;
  /** The published schema of `settings`. A replacement can't change members that are `writeOnce`. */
  readonly members: Readonly<Record<string, MemberDocument>>;
  readonly required: readonly string[];
  /** Messages for a member that does not match. */
  readonly errors: Readonly<Record<string, string>>;
}
