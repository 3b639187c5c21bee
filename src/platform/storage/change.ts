/**
 * The kinds of changes with the type of their data. A module that writes changes declares its kinds by augmenting this
 * interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: other modules augment it
export interface ChangeKinds {}

export type ChangeKind = keyof ChangeKinds;

/**
 * The part of a change that is stored for durable readers, see durable-reader.ts. Other modules augment this interface.
 */
export interface ChangeDetails {
  id: string;
  /** RFC 3339. */
  time: string;
}

interface ChangeOf<Kind extends ChangeKind> {
  accountSeq: number | null;
  /** The actor: the id of a token, `operator` or `system`. */
  actor: string;
  /** `<resource>.<past participle>`, such as `key.deleted`. */
  kind: Kind;
  /** The id of the resource. */
  subject: string;
  /** The data that followers need to handle the change without a query. Never a secret. */
  data: ChangeKinds[Kind];
  /** For durable readers only; followers on other nodes do not receive it. Never a secret. */
  details?: ChangeDetails | undefined;
  /** The state of the resource for webhooks, if the details do not contain it. */
  state?: object | undefined;
  /** Further ids that the change concerns, one per line. */
  topics?: string | undefined;
  /** Useful only to followers that are running now. Not stored if this process is the only node. */
  isTransient?: boolean;
}

/** The record of a write, appended to the change feed in the same transaction. A union, discriminated by `kind`. */
export type Change<Kind extends ChangeKind = ChangeKind> = { [Each in Kind]: ChangeOf<Each> }[Kind];
