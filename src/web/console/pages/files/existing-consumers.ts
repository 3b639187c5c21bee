import type { Tollgate } from "../../../../client/index.ts";
import { forEachAtOnce } from "./file-kind.ts";

/** The number of consumers that a dry run lists by name. */
const listed = 10;
const atOnce = 4;

/** The names that are consumers of the bucket: found by dry runs of a bulk change, since a list cannot be read by names. */
export async function existingConsumers(api: Tollgate, bucket: string, names: string[]): Promise<Set<string>> {
  const unique = [...new Set(names)];
  const existing = new Set<string>();
  if (unique.length === 0) return existing;
  const look = async (some: string[]): Promise<number> => {
    const result = await api.consumers(bucket).deleteMany({ names: some, dryRun: true });
    if (!("matched" in result)) return 0;
    for (const { name } of result.sample) existing.add(name);
    return result.matched;
  };
  const matched = await look(unique);
  if (matched === existing.size) return existing;
  if (matched === unique.length) return new Set(unique);
  const chunks = Array.from({ length: Math.ceil(unique.length / listed) }, (_, index) =>
    unique.slice(index * listed, (index + 1) * listed),
  );
  await forEachAtOnce(chunks, atOnce, async (chunk) => void (await look(chunk)));
  return existing;
}
