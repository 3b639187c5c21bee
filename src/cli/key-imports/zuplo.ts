import type { ApiKeyCreate } from "../../client/index.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import { parsedJson } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { fromValue, type ImportedConsumer, type ImportedFile, listOf, textOf } from "./imported.ts";

/**
 * Reads the list of consumers that Zuplo's API returns with `include-api-keys=true&key-format=visible`: one page, or an
 * array of the consumers of all pages.
 */
export function readZuplo(text: string): ImportedFile {
  const content = parsedJson(text, "it");
  const data = isJsonObject(content) ? content.data : content;
  if (!Array.isArray(data))
    throw new UsageError(
      "it has no list of consumers.",
      "Save the response of GET …/consumers?include-api-keys=true&include-managers=true&key-format=visible",
    );
  const omitted: string[] = [];
  const consumers: ImportedConsumer[] = [];
  for (const [index, entry] of data.entries()) {
    const place = `consumer ${index + 1}`;
    const name = isJsonObject(entry) ? textOf(entry.name) : undefined;
    if (!isJsonObject(entry) || name === undefined) omitted.push(`${place}: it has no name`);
    else consumers.push({ place, originalName: name, ...readConsumer(entry, name, place, omitted) });
  }
  return { consumers, omitted };
}

function readConsumer(entry: Record<string, unknown>, name: string, place: string, omitted: string[]) {
  const managers = listOf(entry.managers)
    .map((manager) => textOf(isJsonObject(manager) ? manager.email : manager))
    .filter((email) => email !== undefined);
  const keys: ApiKeyCreate[] = [];
  if (!Array.isArray(entry.apiKeys)) omitted.push(`${place} (${name}): the file does not have its keys`);
  for (const [index, key] of listOf(entry.apiKeys).entries()) {
    const value = isJsonObject(key) ? textOf(key.key) : undefined;
    if (!isJsonObject(key) || value === undefined || /^\*+/.test(value))
      omitted.push(`${place} (${name}), key ${index + 1}: its value is masked; export with key-format=visible`);
    else keys.push({ ...fromValue(value), ...fieldsOf(key) });
  }
  const consumer = {
    name,
    ...(textOf(entry.description) && { description: textOf(entry.description) }),
    ...(isJsonObject(entry.tags) && { tags: entry.tags as Record<string, string | number | boolean> }),
    ...(isJsonObject(entry.metadata) && { metadata: entry.metadata }),
    ...(managers.length > 0 && { managers }),
  };
  return { consumer, keys };
}

function fieldsOf({ description, expiresOn }: Record<string, unknown>) {
  return {
    ...(textOf(description) && { description: textOf(description) }),
    ...(textOf(expiresOn) && { expiresOn: textOf(expiresOn) }),
  };
}
