import { parse } from "yaml";
import { isJsonObject } from "../../lib/text/json-object.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { yamlErrorText } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { consumerName, fromValue, type ImportedConsumer, type ImportedFile, listOf, textOf } from "./imported.ts";

/** Credentials of other plugins, which have no counterpart. */
const otherCredentials = [
  "basicauth_credentials",
  "hmacauth_credentials",
  "jwt_secrets",
  "mtls_auth_credentials",
  "oauth2_credentials",
];

/**
 * Reads a declarative configuration in YAML or JSON, as `deck gateway dump` writes it: consumers with
 * `keyauth_credentials`, which may also be listed beside them with the name of their consumer.
 */
export function readKong(text: string): ImportedFile {
  const content = parsed(text);
  if (!isJsonObject(content) || !Array.isArray(content.consumers))
    throw new UsageError("it has no `consumers`.", "Write it with: deck gateway dump -o kong.yaml");
  const omitted: string[] = [];
  const byName = new Map<string, ImportedConsumer>();
  for (const [index, entry] of content.consumers.entries()) {
    const place = `consumers[${index}]`;
    const imported = isJsonObject(entry) ? readConsumer(entry, place, omitted) : undefined;
    if (imported) for (const name of namesOf(entry)) byName.set(name, imported);
    else omitted.push(`${place}: it has neither \`username\` nor \`custom_id\``);
  }
  for (const [index, entry] of listOf(content.keyauth_credentials).entries()) {
    const place = `keyauth_credentials[${index}]`;
    const holder = isJsonObject(entry) ? byName.get(holderOf(entry.consumer) ?? "") : undefined;
    if (holder) addKey(holder, entry, place, omitted);
    else omitted.push(`${place}: its consumer is not in the file`);
  }
  return { consumers: [...new Set(byName.values())], omitted };
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`it is neither YAML nor JSON: ${yamlErrorText(error)}`);
  }
}

function readConsumer(entry: Record<string, unknown>, place: string, omitted: string[]): ImportedConsumer | undefined {
  const [originalName] = namesOf(entry);
  if (originalName === undefined) return undefined;
  const customId = textOf(entry.custom_id);
  const tags = listOf(entry.tags).filter((tag) => typeof tag === "string");
  const imported: ImportedConsumer = {
    place,
    originalName,
    consumer: {
      name: consumerName(originalName),
      tags: Object.fromEntries(tags.map((tag) => [tag, true])),
      metadata: {
        ...(textOf(entry.username) && { kongUsername: entry.username }),
        ...(customId && { kongCustomId: customId }),
      },
    },
    keys: [],
  };
  for (const [index, key] of listOf(entry.keyauth_credentials).entries())
    addKey(imported, key, `${place}.keyauth_credentials[${index}]`, omitted);
  for (const kind of otherCredentials)
    if (listOf(entry[kind]).length > 0) omitted.push(`${place}.${kind}: only keys are imported`);
  return imported;
}

function addKey(holder: ImportedConsumer, entry: unknown, place: string, omitted: string[]): void {
  const value = isJsonObject(entry) ? textOf(entry.key) : undefined;
  if (!isJsonObject(entry) || value === undefined) {
    omitted.push(`${place}: it has no \`key\``);
    return;
  }
  if (/^\{vault:\/\//.test(value)) {
    omitted.push(`${place}: the value is a reference to a vault`);
    return;
  }
  holder.keys.push({ ...fromValue(value), ...expiryOf(entry) });
}

/** `ttl` counts seconds from the creation of the key. Without the time of creation, the expiry is unknown. */
function expiryOf({ ttl, created_at: createdAt }: Record<string, unknown>) {
  if (typeof ttl !== "number" || ttl <= 0 || typeof createdAt !== "number") return {};
  return { expiresOn: formatDateTime((createdAt + ttl) * 1000) };
}

/** A credential refers to its consumer by name or as an object. */
function holderOf(reference: unknown): string | undefined {
  return isJsonObject(reference) ? namesOf(reference)[0] : textOf(reference);
}

function namesOf(entry: unknown): string[] {
  if (!isJsonObject(entry)) return [];
  return [entry.username, entry.custom_id, entry.id].map(textOf).filter((name) => name !== undefined);
}
