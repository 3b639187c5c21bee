import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    configuration_plans: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** The actor that planned it. */
      created_by: string;
      /** The name that marks what the plan creates. */
      owner: string | null;
      is_pruning: number;
      /** The steps as returned by the API, as JSON. Without secrets. */
      steps: string;
      /** What each step writes, encrypted because it may contain secrets. Null once the plan is applied or has expired. */
      inputs: Uint8Array | null;
      applied_on: number | null;
      expires_on: number;
      created_on: number;
    };
    /** Which apply created a resource. The mark of a deleted resource has no effect: ids are not reused. */
    configuration_marks: {
      account_seq: number;
      resource_id: string;
      owner: string;
    };
  }
}
