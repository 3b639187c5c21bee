/** The kinds of changes with the type of their data. Whoever writes changes declares its own by augmenting this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be augmented
export interface ChangeKinds {}

export type ChangeKind = keyof ChangeKinds;

/** What is kept of a change for those who read it later, see durable-reader.ts. The rest is declared by augmenting this interface. */
export interface ChangeDetails {
  id: string;
  /** RFC 3339. */
  time: string;
}

interface ChangeOf<Kind extends ChangeKind> {
  accountSeq: number | null;
  /** Who did it: the id of a token, `operator` or `system`. */
  actor: string;
  /** `<resource>.<what happened>`, such as `key.deleted`. */
  kind: Kind;
  /** The id of the resource. */
  subject: string;
  /** What followers need to act on it without a query. Never a secret. */
  data: ChangeKinds[Kind];
  /** For durable readers alone; followers on other nodes do not get it. Never a secret. */
  details?: ChangeDetails | undefined;
  /** What webhooks get of the change, where the details do not have it. */
  state?: object | undefined;
  /** Ids besides the subject that the change is about, a line each. */
  topics?: string | undefined;
  /** Of use only to followers that run right now: not stored where this process is the only one. */
  isTransient?: boolean;
}

/** What a write did, appended to the change feed in the same transaction. A union, discriminated by `kind`. */
export type Change<Kind extends ChangeKind = ChangeKind> = { [Each in Kind]: ChangeOf<Each> }[Kind];
