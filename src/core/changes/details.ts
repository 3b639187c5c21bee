import type { ActorType } from "../access.ts";
import type { FieldChange } from "./differences.ts";

/** A resource as the audit log and webhooks name it. */
export interface NamedResource {
  /** As in the kinds of changes: `consumer`, `key`, … */
  type: string;
  id: string;
  /** What people call it, if it has a name. */
  name?: string | undefined;
}

/** What a change did to which resource. Snapshots are as the API shows the resource, without secrets. */
export interface ChangedResource extends NamedResource {
  /** What it belongs to: a key to its consumer, a plan to its bucket. */
  parent?: NamedResource | undefined;
  before?: object | undefined;
  after?: object | undefined;
  /** Pointers of secrets that got a new value. */
  changed?: string[] | undefined;
  /** What webhooks get, where that is not the resource after the change or, if it is gone, before. */
  event?: object | undefined;
  /** How many of what a bulk call or a cascade made or removed. */
  counts?: Record<string, number> | undefined;
  /** What the audit log and webhooks call it, where that is not the kind of the change. */
  action?: string | undefined;
  /** The subject of the change where that is not the resource's id. */
  subject?: string | undefined;
}

declare module "../../platform/storage/change.ts" {
  /**
   * The entry of the audit log. Its JSON text is what is hashed and exported, so its members are in the order in which the API
   * shows them, after `id` and `time`: parsing and serializing it again gives the same text.
   */
  interface ChangeDetails {
    action: string;
    actor: { type: ActorType; id: string; name?: string | undefined };
    resource: NamedResource & { parent?: NamedResource | undefined };
    requestId?: string | undefined;
    ip?: string | undefined;
    changes: FieldChange[];
    counts?: Record<string, number> | undefined;
  }
}
