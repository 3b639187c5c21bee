import type { ApiKeyCreate } from "../../client/index.ts";
import { tagValue, time } from "../arguments/values.ts";
import { type BulkItem, fromCsv } from "../bulk-changes/bulk-file.ts";
import { UsageError } from "../process/usage-error.ts";
import { consumerName, fromValue, type ImportedConsumer, type ImportedFile } from "./imported.ts";

const listOf = (cell: string) => cell.split(/[;\s]+/).filter((entry) => entry !== "");

const columns = {
  consumer: String,
  "tags.*": tagValue,
  key: String,
  sha256: String,
  suffix: String,
  description: String,
  expiresOn: time.parse,
  permissions: listOf,
  allowedIps: listOf,
};

interface Fields extends Omit<ApiKeyCreate, "key" | "hash"> {
  consumer?: string;
  tags?: Record<string, string | number | boolean>;
  key?: string;
  sha256?: string;
}

/** Reads one key per line. Lines with the same consumer are keys of one consumer; a line without a key has only the consumer. */
export function readCsv(text: string): ImportedFile {
  const byName = new Map<string, ImportedConsumer>();
  for (const item of fromCsv(text, columns)) addLine(byName, item);
  return { consumers: [...byName.values()], omitted: [] };
}

function addLine(byName: Map<string, ImportedConsumer>, { place, fields }: BulkItem): void {
  const { consumer, tags, key, sha256, ...rest } = fields as Fields;
  if (consumer === undefined)
    throw new UsageError(`${place}: the consumer is missing`, "The column consumer has its name.");
  if (key !== undefined && sha256 !== undefined)
    throw new UsageError(`${place}: has both key and sha256; one of them identifies the key.`);
  let imported = byName.get(consumer);
  if (!imported) {
    imported = { place, originalName: consumer, consumer: { name: consumerName(consumer) }, keys: [] };
    byName.set(consumer, imported);
  }
  if (tags) imported.consumer.tags = { ...imported.consumer.tags, ...tags };
  if (key !== undefined) imported.keys.push({ ...rest, ...fromValue(key) });
  else if (sha256 !== undefined) imported.keys.push({ ...rest, hash: { sha256 } });
  else if (Object.keys(rest).length > 0)
    throw new UsageError(`${place}: has fields of a key, and neither key nor sha256.`);
}
