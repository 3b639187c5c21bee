import type { ActorType } from "../access.ts";
import type { FieldChange } from "./differences.ts";

/** A resource in the audit log and webhooks. */
interface NamedResource {
  /** The type as in the kinds of changes: `consumer`, `key`, … */
  type: string;
  id: string;
  /** The display name, if there is one. */
  name?: string | undefined;
}

/** The resource that a change created, updated or deleted. Snapshots are as returned by the API, without secrets. */
export interface ChangedResource extends NamedResource {
  /** The parent: the consumer of a key, the bucket of a plan. */
  parent?: NamedResource | undefined;
  before?: object | undefined;
  after?: object | undefined;
  /** JSON pointers of secrets that got a new value. */
  changed?: string[] | undefined;
  /** The state for webhooks, if it is not the resource after the change or, if it was deleted, before the change. */
  event?: object | undefined;
  /** The number of resources that a bulk request or a cascade created or removed. */
  counts?: Record<string, number> | undefined;
  /** The name of the event in the audit log and webhooks, if it is not the kind of the change. */
  action?: string | undefined;
  /** The subject of the change, if it is not the resource's id. */
  subject?: string | undefined;
}

declare module "../../platform/storage/change.ts" {
  /**
   * The entry of the audit log. Its JSON text is hashed and exported, so its members are in the order of the API, after
   * `id` and `time`: parsing and serializing it again gives the same text.
   */
  interface ChangeDetails {
    action: string;
    actor: { type: ActorType; id: string; name?: string | undefined };
    resource: NamedResource & { parent?: NamedResource | undefined };
    requestId?: string | undefined;
    ip?: string | undefined;
    /** The name of the assistant through which the actor did it. */
    assistant?: string | undefined;
    changes: FieldChange[];
    counts?: Record<string, number> | undefined;
    /** The time in the bucket, if it differs from `time`. */
    bucketTime?: string | undefined;
  }
}
