/** A message from the test to the process in which the SDK runs. `method` is, for example, `userApi.createUser`. */
export type Command =
  | { readonly kind: 'call' | 'collect' | 'models' | 'subscribe'; readonly method: string; readonly argument: unknown }
  | { readonly kind: 'tick'; readonly milliseconds: number };

/** The class that the SDK chose for an item, and the classes of the objects in the item, by member name. */
export interface Models {
  readonly item: string;
  readonly members: Readonly<Record<string, string>>;
}

export interface SdkFailure {
  readonly name: string;
  readonly message: string;
  readonly status?: number;
  readonly errorCode?: string;
  readonly errorCauses?: unknown;
}

export type Outcome = { readonly result: unknown } | { readonly failure: SdkFailure };

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: Outcome }
  | { readonly kind: 'request'; readonly request: SentRequest }
  | { readonly kind: 'backoff'; readonly requestId: string; readonly milliseconds: number }
  | { readonly kind: 'item'; readonly item: unknown }
  | { readonly kind: 'subscriptionError'; readonly message: string };
