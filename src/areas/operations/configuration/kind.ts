import type { AccountReference, Act } from "../../../core/access.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";

/** The kinds of resources in a configuration, in the order in which they are created. */
export const kindNames = [
  "billingProfile",
  "paymentProviders",
  "keyBuckets",
  "meteringBuckets",
  "plans",
  "creditPacks",
  "webhooks",
  "domains",
  "variables",
  "portals",
  "exports",
] as const;
export type KindName = (typeof kindNames)[number];

/** The kinds whose members are in groups: plans and credit packs by metering bucket, variables by project. */
const groupedKinds = ["plans", "creditPacks", "variables"] as const satisfies KindName[];

export function isGrouped(kind: string): kind is (typeof groupedKinds)[number] {
  return (groupedKinds as readonly string[]).includes(kind);
}

export type Action = "create" | "update" | "delete";

/** The fields of a resource as in the configuration, without its name. */
export type ConfigurationEntry = Record<string, unknown>;

/**
 * The name of a resource. Plans and credit packs are named in a metering bucket, variables in a project. A portal has its bucket's, and the
 * billing profile of the account `seller`.
 */
export interface ResourceName {
  parent?: string | undefined;
  name: string;
}

/** A resource that the configuration asks for. */
export interface Desired extends ResourceName {
  /** What is written. May contain a secret. */
  input: ConfigurationEntry;
  /** The secret in `input`, and what a plan shows instead of `input`. */
  secret?: { value: string; shown(isChanged: boolean): ConfigurationEntry };
}

/** A resource of the account. */
export interface Existing extends ResourceName {
  id: string;
  version: number;
  /** The fields of the configured resource with defaults, and without secrets. */
  entry: ConfigurationEntry;
  /** The stored secret; undefined if there is none, or if its encryption key is missing. */
  storedSecret?(): string | undefined;
}

/** The subscriptions that a change affects; at most 100 are listed. */
export interface AffectedSubscriptions {
  total: number;
  data: { id: string; customerKey: string }[];
}

export interface Remarks {
  notes?: string[];
  affectedSubscriptions?: AffectedSubscriptions;
}

/** A change of one resource. */
export interface ConfigurationChange {
  action: Action;
  before?: Existing | undefined;
  after?: Desired | undefined;
}

/** Values of environment variables of the caller, by name. */
export type SecretValues = Readonly<Record<string, string>>;

/** Returns what a step of the plan writes of a resource, or undefined if none does. */
export type PlannedInput = (kind: KindName, name: string) => ConfigurationEntry | undefined;

/** Writes one resource, with the rules of the single operations. */
interface ResourceWriter {
  /** Returns the id. */
  create(transaction: WriteTransaction, act: Act, desired: Desired): Promise<string>;
  update(
    transaction: WriteTransaction,
    act: Act,
    current: ResourceName & { id: string },
    change: { before: ConfigurationEntry; input: ConfigurationEntry },
    precondition: Precondition,
  ): Promise<void>;
  /** Undefined for settings, which no apply deletes. */
  delete?(
    transaction: WriteTransaction,
    act: Act,
    current: ResourceName & { id: string },
    precondition: Precondition,
  ): Promise<void>;
}

/**
 * A kind of resources in a configuration. A new kind is a file in `kinds/`, an entry in `kindNames`, in the
 * configuration's schema and in `allKinds`.
 */
export interface Kind extends ResourceWriter {
  name: KindName;
  /** The operations that do the same alone. A step needs their access. */
  operations: Record<Exclude<Action, "delete">, string> & { delete?: string };
  /** The operation that reads resources of this kind, if not every member of the account may: a dump then leaves them out. */
  readOperation?: string;
  /** The account has one, which stands in the configuration without a name. */
  isSingle?: true;
  /** The kind that contains resources of this kind. */
  parent?: KindName;
  /** Fields with lists whose order has no meaning. */
  unordered?: readonly string[];
  /** The resources of the account that have a name, in the order of creation. */
  existing(reads: Reads, account: AccountReference): Promise<Existing[]>;
  /** The number of resources without a name, which no configuration can mention. */
  unnamed?(reads: Reads, account: AccountReference): Promise<number>;
  /**
   * Returns the resource with defaults. A secret whose value was not sent keeps that of the existing resource. Throws a
   * `validation_failed` with pointers into the entry.
   */
  desired(name: ResourceName, entry: ConfigurationEntry, secrets: SecretValues, existing?: Existing): Desired;
  /** The fields that differ from the defaults, as a configuration has them. */
  dumped(existing: Existing): ConfigurationEntry;
  /** What else there is to know about a change. */
  remarks?(reads: Reads, act: Act, change: ConfigurationChange, planned: PlannedInput): Promise<Remarks>;
}
