import { createHash } from "node:crypto";
import type { ApiKeyCreate, ConsumerCreate } from "../../client/index.ts";

/** A consumer with its keys, as another system describes it. */
export interface ImportedConsumer {
  /** The position in the file, for the report. */
  place: string;
  /** The name in the other system. */
  originalName: string;
  consumer: Omit<ConsumerCreate, "apiKeys">;
  keys: ApiKeyCreate[];
}

/** The content of a file. */
export interface ImportedFile {
  consumers: ImportedConsumer[];
  /** Items that cannot be imported, with the reason. */
  omitted: string[];
}

/**
 * Returns the closest valid name. Names of consumers are part of URLs and headers, so fewer characters are allowed here
 * than in other systems.
 */
export function consumerName(original: string): string {
  return original
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 128);
}

const ownFormat = /^[\x21-\x7e]{16,512}$/;

/**
 * Returns the fields of a key with this value. A value that could not be supplied as a key, such as a short one, is
 * imported by its hash.
 */
export function fromValue(value: string): Pick<ApiKeyCreate, "key" | "hash" | "suffix"> {
  if (ownFormat.test(value)) return { key: value };
  const suffix = value.slice(-Math.min(4, Math.floor(value.length / 4)));
  return {
    hash: { sha256: createHash("sha256").update(value).digest("hex") },
    ...(/^[\x21-\x7e]+$/.test(suffix) && value.length >= 4 ? { suffix } : {}),
  };
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
