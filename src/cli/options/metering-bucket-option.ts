import type { Tollgate } from "../../client/index.ts";
import { named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

export const meteringBucketOption = {
  bucket: option("the metering bucket, by id or name; optional if there is only one", named("BUCKET")),
};

/** The named bucket, or the only one that exists. */
export async function meteringBucket(client: Tollgate, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { data, total } = await client.metering.list({ limit: 10 }).page();
  if (total === 1) return data[0]!.id;
  if (total === 0) throw new UsageError("There is no metering bucket yet.", "Create one: tollgate metering create");
  const ids = data.map(({ id, name }) => name ?? id).join(", ");
  throw new UsageError(
    `--bucket is missing, and there are ${total} metering buckets: ${ids}${total > data.length ? ", …" : ""}`,
    "Add --bucket BUCKET",
  );
}
