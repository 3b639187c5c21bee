import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** What customers would have been billed with other plans. */
    simulations: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      job_id: string;
      /** The request. */
      input: string;
      /** Null until the first customers are computed. */
      result: string | null;
      created_on: number;
    };
    /** A row for each customer and currency, in minor units. */
    simulation_customers: {
      simulation_seq: number;
      customer_key: string;
      currency: string;
      amount_before: number;
      amount_after: number;
      difference: number;
      /** The difference without its sign, by which customers are listed. */
      size: number;
      /** `exact`, `hour` or `day`. */
      exactness: string;
      limited_on: number | null;
      /** What was invoiced, if it differs from what was computed. */
      invoiced: number | null;
    };
  }
}
